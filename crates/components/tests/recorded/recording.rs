//! What was recorded.

use jiff::Timestamp;
use kube::{
    ResourceExt as _,
    core::{ApiResource, DynamicObject},
};
use plan::{DigestKey, Health, ObjectKey, ObservedObject};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

/// The objects that one version of the operator wrote for one example, and those of the example.
pub struct Recording {
    /// The name of its file.
    pub file: String,
    /// The journal of an API server.
    pub journal: String,
    pub objects: BTreeMap<ObjectKey, Arc<DynamicObject>>,
    resources: BTreeMap<ObjectKey, ApiResource>,
}

/// An object in the journal of an API server.
#[derive(Deserialize)]
struct Line {
    /// Group, plural, namespace and name.
    key: [String; 4],
    after: DynamicObject,
}

/// When the objects were recorded: their certificates need no renewal at that time.
pub fn recorded_at() -> Timestamp {
    "2026-11-17T11:00:00Z".parse().unwrap()
}

/// All recordings.
pub fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/objects");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    files.sort();
    files.iter().map(|path| Recording::read(path)).collect()
}

impl Recording {
    fn read(path: &Path) -> Self {
        let journal = fs::read_to_string(path).unwrap();
        // The first line is the header of the journal.
        let lines = journal.lines().skip(1).map(|line| serde_json::from_str::<Line>(line).unwrap());
        let (mut objects, mut resources) = (BTreeMap::new(), BTreeMap::new());
        for Line { key: [group, plural, namespace, name], after } in lines {
            let types = after.types.clone().unwrap();
            let version = types.api_version.rsplit('/').next().unwrap().to_owned();
            let key = ObjectKey::new(&group, &types.kind, &namespace, &name);
            let (api_version, kind) = (types.api_version, types.kind);
            resources.insert(key.clone(), ApiResource { group, version, api_version, kind, plural });
            objects.insert(key, Arc::new(after));
        }
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        Self { file, journal, objects, resources }
    }

    /// The key with which the operator made digests.
    pub fn digest_key(&self) -> DigestKey {
        let secret = self.objects.values().find(|it| it.name_any() == runtime::DIGEST_KEY).unwrap();
        let key: k8s_openapi::ByteString =
            serde_json::from_value(secret.data["data"]["key"].clone()).unwrap();
        DigestKey::parse(&key.0).unwrap()
    }

    /// An object, as a watch delivers it.
    pub fn observed(&self, key: &ObjectKey) -> ObservedObject {
        let (object, resource) = (&self.objects[key], &self.resources[key]);
        let seen = ObservedObject::of(resource, &object.metadata, Health::READY, &BTreeSet::new());
        seen.unwrap().with_applied(object, resource)
    }

    /// The children of an owner.
    pub fn children(&self, owner: &ObjectKey) -> Vec<ObservedObject> {
        let uid = self.objects[owner].metadata.uid.as_deref().unwrap();
        let all = self.objects.keys().map(|key| self.observed(key));
        all.filter(|it| it.observation.owner.as_ref().is_some_and(|it| it.is(owner, uid))).collect()
    }
}
