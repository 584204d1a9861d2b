//! The only window a component has onto the cluster.

use crate::{
    Defaults, Digest, Manifest, ObjectKey, PlanError, System,
    defaults::NOTHING,
    place::{NOWHERE, Places, misnamed},
};
use api::v1beta1::name::ObjectName;
use kube::{
    Resource,
    core::{ApiResource, DynamicObject, ObjectMeta},
};
use serde_json::Value;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Everything looked up so far: `None` means looked up and absent. For a kind, `Some` is [`served`].
pub type Snapshot = BTreeMap<ObjectKey, Option<Arc<DynamicObject>>>;

/// Answers reads from a [`Snapshot`] and remembers what was asked.
///
/// What was asked is the watch set, the input of change detection and the list of files `render` wants.
pub struct World<'a> {
    namespace: &'a str,
    snapshot: &'a Snapshot,
    defaults: &'a Defaults,
    places: Places<'a>,
    reads: RefCell<BTreeSet<ObjectKey>>,
}

impl<'a> World<'a> {
    /// A world in which `snapshot` is everything known about `namespace`.
    pub fn new(namespace: &'a str, snapshot: &'a Snapshot) -> Self {
        Self { namespace, snapshot, defaults: &NOTHING, places: NOWHERE, reads: RefCell::default() }
    }

    /// The same world, in which an administrator wants this of objects that say nothing.
    #[must_use]
    pub fn with_defaults(self, defaults: &'a Defaults) -> Self {
        Self { defaults, ..self }
    }

    /// The same world, for an object that can say which of its fields a name comes from.
    #[must_use]
    pub(crate) fn with_places(self, places: Places<'a>) -> Self {
        Self { places, ..self }
    }

    /// What is wanted of objects that say nothing. It never changes while an operator runs.
    pub fn defaults(&self) -> &'a Defaults {
        self.defaults
    }

    /// Looks up a sibling, without its status: a plan is decided on what objects are, and looked at again when that
    /// changes; how they are is waited for with [`crate::Desired::awaited`]. Absence is a value; not having looked yet is
    /// [`PlanError::Unread`]. What cannot be a name is refused and never looked up: it might be a path to another object.
    pub fn read<K: Manifest>(&self, name: &str) -> Result<Option<K>, PlanError> {
        let key = ObjectKey::of::<K>(self.namespace, name);
        if !ObjectName::is_valid(name) {
            return Err(misnamed(&key, self.places));
        }
        self.reads.borrow_mut().insert(key.clone());
        match self.snapshot.get(&key) {
            None => Err(PlanError::Unread([key].into())),
            Some(None) => Ok(None),
            Some(Some(object)) => decode(&key, object).map(Some),
        }
    }

    /// Looks up an object in a system outside the cluster, as the system describes it. The operator lists the collection every
    /// few minutes, and the owner is reconciled again when the object has changed. Not having looked yet is
    /// [`PlanError::Unread`]. A component that asks says in [`crate::Component::connection`] how to reach the system.
    pub fn external(
        &self,
        system: &System,
        collection: &str,
        name: &str,
    ) -> Result<Option<Value>, PlanError> {
        let key = ObjectKey::external(system, collection, name);
        self.reads.borrow_mut().insert(key.clone());
        match self.snapshot.get(&key) {
            None => Err(PlanError::Unread([key].into())),
            Some(object) => Ok(object.as_ref().map(|object| object.data.clone())),
        }
    }

    /// Looks up a sibling that must exist.
    pub fn require<K: Manifest>(&self, name: &str) -> Result<K, PlanError> {
        self.read(name)?.ok_or_else(|| PlanError::Missing([ObjectKey::of::<K>(self.namespace, name)].into()))
    }

    /// Whether the cluster serves a kind: cert-manager, the Gateway API and the Prometheus operator are optional.
    /// Not having looked yet is [`PlanError::Unread`]. A component that asks has the kind among its children.
    pub fn serves<K: Resource<DynamicType = ()>>(&self) -> Result<bool, PlanError> {
        let key = ObjectKey::kind_of::<K>();
        self.reads.borrow_mut().insert(key.clone());
        match self.snapshot.get(&key) {
            None => Err(PlanError::Unread([key].into())),
            Some(answer) => Ok(answer.is_some()),
        }
    }

    /// What the definition of a kind that is installed allows in a field, named with dots, if it says so and the cluster
    /// tells. Not having looked yet is [`PlanError::Unread`]. A component that asks has the kind among its children, and
    /// asks only what it decides once: that a definition has changed wakes nobody.
    pub fn allowed<K: Resource<DynamicType = ()>>(
        &self,
        field: &str,
    ) -> Result<Option<Vec<String>>, PlanError> {
        let key = ObjectKey::definition_of::<K>();
        self.reads.borrow_mut().insert(key.clone());
        let schema = self.snapshot.get(&key).ok_or_else(|| PlanError::Unread([key].into()))?;
        let values = schema.as_ref().and_then(|schema| {
            let field = field.split('.').fold(&schema.data, |schema, part| &schema["properties"][part]);
            field["enum"].as_array()
        });
        Ok(values.map(|values| values.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
    }

    /// What was asked for, found or not.
    pub fn into_reads(self) -> BTreeSet<ObjectKey> {
        self.reads.into_inner()
    }
}

/// What a [`Snapshot`] holds for a kind that the cluster serves. It has a version, since to be served or not is a
/// state like any other.
pub fn served() -> Arc<DynamicObject> {
    let metadata = ObjectMeta { resource_version: Some("served".into()), ..ObjectMeta::default() };
    Arc::new(DynamicObject { types: None, metadata, data: Value::Null })
}

/// What a [`Snapshot`] holds for the definition of a kind with this schema. Its version changes with it.
pub fn defined(schema: Value) -> Result<Arc<DynamicObject>, serde_json::Error> {
    let version = Digest::of(&schema)?.to_string();
    let metadata = ObjectMeta { resource_version: Some(version), ..ObjectMeta::default() };
    Ok(Arc::new(DynamicObject { types: None, metadata, data: schema }))
}

/// The API resource of a kind a component may read, for whoever answers reads.
pub(crate) fn resource_of<K: Manifest>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

fn decode<K: Manifest>(key: &ObjectKey, object: &DynamicObject) -> Result<K, PlanError> {
    let decoded = serde_json::to_value(object).and_then(|mut object| {
        if let Some(object) = object.as_object_mut() {
            object.remove("status");
        }
        serde_json::from_value(object)
    });
    // The decoder's own words quote the offending value, which may be a secret.
    decoded.map_err(|_| {
        PlanError::invalid(
            key,
            format!("is not a valid {}", key.kind),
            "compare its fields with `kubectl explain`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::thirdparty::cert_manager::Certificate;
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn a_secret_that_does_not_decode_is_named_and_not_quoted() {
        let object =
            serde_json::json!({"metadata": {"name": "s"}, "data": {"password": 12345, "other": "hunter2"}});
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let snapshot = Snapshot::from([(ObjectKey::of::<Secret>("ns", "s"), Some(Arc::new(object)))]);
        let error = World::new("ns", &snapshot).require::<Secret>("s").unwrap_err().to_string();
        assert_eq!(error, "Secret ns/s: is not a valid Secret; compare its fields with `kubectl explain`");
    }

    #[test]
    fn nobody_can_decide_on_a_status_whose_changes_wake_nobody() {
        let object = serde_json::json!({
            "metadata": {"name": "c"}, "spec": {"secretName": "s", "issuerRef": {"name": "i"}},
            "status": {"conditions": []},
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let snapshot = Snapshot::from([(ObjectKey::of::<Certificate>("ns", "c"), Some(Arc::new(object)))]);
        let read = World::new("ns", &snapshot).require::<Certificate>("c").unwrap();
        assert_eq!((read.spec.secret_name.as_str(), read.status), ("s", None));
    }

    #[test]
    fn everything_asked_for_is_remembered_found_or_not() {
        let snapshot = Snapshot::from([(ObjectKey::of::<Secret>("ns", "absent"), None)]);
        let world = World::new("ns", &snapshot);
        assert_eq!(world.read::<Secret>("absent"), Ok(None));
        let unread = [ObjectKey::of::<Secret>("ns", "unread")];
        assert_eq!(world.read::<Secret>("unread"), Err(PlanError::Unread(unread.clone().into())));
        assert_eq!(world.into_reads(), [ObjectKey::of::<Secret>("ns", "absent"), unread[0].clone()].into());
    }

    #[test]
    fn what_cannot_be_a_name_is_refused_and_never_looked_up() {
        for name in
            ["../../victim/secrets/creds", "..", "", "a/b", "a?watch=true", "a#b", "a%2fb", "{definition}"]
        {
            let snapshot = Snapshot::new();
            let world = World::new("ns", &snapshot);
            assert!(matches!(world.read::<Secret>(name), Err(PlanError::Invalid(_))), "{name:?}");
            assert!(matches!(world.require::<Secret>(name), Err(PlanError::Invalid(_))), "{name:?}");
            assert_eq!(world.into_reads(), BTreeSet::new(), "{name:?}");
        }
    }

    #[test]
    fn whether_a_kind_is_served_is_looked_up_like_anything_else() {
        let key = ObjectKey::kind_of::<Certificate>();
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).serves::<Certificate>();
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(false));
        assert_eq!(asked([(key, Some(served()))].into()), Ok(true));
    }

    #[test]
    fn an_object_outside_the_cluster_is_looked_up_like_anything_else() {
        let system = System::new("harbor", "ns", "acme");
        let key = ObjectKey::external(&system, "project", "alpha");
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).external(&system, "project", "alpha");
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(None));
        let value = serde_json::json!({"public": true});
        let found = crate::outside(value.clone()).unwrap();
        assert_eq!(asked([(key, Some(found))].into()), Ok(Some(value)));
    }

    #[test]
    fn what_a_definition_allows_is_looked_up_like_anything_else() {
        let key = ObjectKey::definition_of::<Certificate>();
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).allowed::<Certificate>("spec.size");
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(None), "the cluster does not tell");
        let schema =
            |size: Value| serde_json::json!({"properties": {"spec": {"properties": {"size": size}}}});
        let free = defined(schema(serde_json::json!({"type": "string"}))).unwrap();
        assert_eq!(asked([(key.clone(), Some(free))].into()), Ok(None), "whatever one likes");
        let some = defined(schema(serde_json::json!({"type": "string", "enum": ["s", "l"]}))).unwrap();
        assert_eq!(asked([(key, Some(some))].into()), Ok(Some(vec!["s".into(), "l".into()])));
    }
}
