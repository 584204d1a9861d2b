//! Objects of the operator's predecessor, for tests of adoption, if a copy of them is available.

use crate::cases::Case;
use plan::{Component, Defaults};
use serde_json::Value;
use std::{fs, path::Path};

/// Every object of a small Harbor 2.6.2, and the component among them.
pub(crate) struct Predecessor<C: Component> {
    pub objects: Vec<Value>,
    pub case: Case<C>,
}

/// A Deployment whose images are named with their host.
fn with_hosts(mut object: Value) -> Value {
    let containers = object.pointer_mut("/spec/template/spec/containers").and_then(Value::as_array_mut);
    for image in containers.into_iter().flatten().filter_map(|container| container.get_mut("image")) {
        *image = format!("docker.io/{}", image.as_str().unwrap()).into();
    }
    object
}

impl<C: Component> Predecessor<C> {
    pub fn at_hand() -> Option<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/upstream-objects/harbor-minimal.json");
        let Ok(text) = fs::read_to_string(&file) else {
            eprintln!("skipped: {} is not at hand", file.display());
            return None;
        };
        let mut list: Value = serde_json::from_str(&text).unwrap();
        let objects: Vec<Value> = list["items"].as_array_mut().unwrap_or(&mut vec![]).drain(..).collect();
        let objects: Vec<Value> = objects.into_iter().map(with_hosts).collect();
        let kind = <C::Owner as kube::Resource>::kind(&());
        let owner = objects.iter().find(|object| object["kind"] == *kind).unwrap();
        let owner = serde_json::from_value(owner.clone()).unwrap();
        let inputs = objects.iter().filter(|object| object["kind"] == "Secret").cloned().collect();
        Some(Self {
            objects,
            case: Case { owner, inputs, without: Vec::new(), defaults: Defaults::default() },
        })
    }

    /// The child of a kind, unchanged except for the hosts of images.
    pub fn child(&self, kind: &str) -> &Value {
        let name = format!("h-harbor-{}", C::NAME);
        self.objects.iter().find(|it| it["kind"] == kind && it["metadata"]["name"] == *name).unwrap()
    }
}
