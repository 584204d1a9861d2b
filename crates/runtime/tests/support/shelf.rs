//! A component whose children live in a depot outside the cluster.

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Namespace, Secret},
};
use kube::{CustomResource, ResourceExt as _, core::ObjectMeta};
use plan::{
    Builder, ChildName, Children, Component, Connect, Connection, DeletionBehavior, Desired, External,
    IfAbsent, IfExists, PlanError, Sharing, System, World, comparable, starts_after,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Shelf",
    plural = "shelves",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
#[allow(clippy::struct_excessive_bools, reason = "tests turn features on one by one")]
pub struct ShelfSpec {
    /// The depot. How to reach it is in the Secret of the same name.
    pub depot: String,
    /// Labels of boxes, by name.
    pub boxes: BTreeMap<String, String>,
    /// On which other box a box stands.
    pub on: BTreeMap<String, String>,
    /// A Secret whose key `code` locks all boxes.
    pub locked_with: Option<String>,
    /// Whether boxes that exist are taken over.
    pub adopts: bool,
    /// Whether boxes are not created where they do not exist.
    pub requires: bool,
    /// Whether the fields of boxes may have different owners.
    pub shares: bool,
    /// Whether boxes stay when they are no longer wanted.
    pub keeps: bool,
    /// Whether there is a Deployment that has to be available before boxes are created.
    pub guarded: bool,
    /// A box that is read while planning; its label goes into a ConfigMap.
    pub reads: Option<String>,
}

pub struct ShelfComponent;

impl Component for ShelfComponent {
    type Owner = Shelf;

    const NAME: &'static str = "shelf";
    const CONNECT: Connect = connection;

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Deployment>().reading::<Namespace>().and_external()
    }

    fn desired(shelf: &Shelf, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let ShelfSpec { depot, boxes, on, locked_with, adopts, requires, shares, keeps, guarded, reads } =
            &shelf.spec;
        let system = System::new("depot", &shelf.namespace().unwrap_or_default(), depot);
        let name = ChildName::of(&shelf.name_any(), Self::NAME)?;
        let metadata = || ObjectMeta {
            name: Some(name.to_string()),
            namespace: shelf.namespace(),
            ..ObjectMeta::default()
        };
        let code = match locked_with {
            Some(secret) => world.require::<Secret>(secret)?.data.unwrap_or_default().remove("code"),
            None => None,
        };
        if let Some(read) = reads {
            let found = world.external(&system, "box", read)?.unwrap_or_default();
            let label = found["label"].as_str().unwrap_or("none").to_owned();
            let data = Some([("label".to_owned(), label)].into());
            graph.add::<ConfigMap>(ConfigMap { metadata: metadata(), data, ..ConfigMap::default() }, ());
        }
        let guard = guarded.then(|| {
            let pods = json!({"metadata": {"labels": {"shelf": &*name}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
            let spec = json!({"selector": {"matchLabels": {"shelf": &*name}}, "template": pods});
            let deployment: Deployment =
                serde_json::from_value(json!({"metadata": metadata(), "spec": spec})).unwrap_or_default();
            graph.add::<Deployment>(deployment, ())
        });
        for (name, label) in boxes {
            let mut value = json!({ "label": label });
            if let Some(below) = on.get(name) {
                value["on"] = below.clone().into();
            }
            let mut external = External::new(&system, "box", name, value);
            // Depots store labels in upper case.
            external.comparable = |desired, actual| {
                let mut value = comparable(desired, actual);
                let same = value["label"].as_str().map(str::to_lowercase)
                    == desired["label"].as_str().map(str::to_lowercase);
                if same {
                    value["label"] = desired["label"].clone();
                }
                value
            };
            external.if_exists = match adopts {
                true => IfExists::Adopt,
                false => IfExists::Refuse { remedy: "set spec.adopts to take it over".into() },
            };
            if *requires {
                external.if_absent = IfAbsent::Refuse { remedy: "put it into the depot".into() };
            }
            if *shares {
                external.sharing = Sharing::Fields;
            }
            external.write_only.extend(
                code.iter()
                    .map(|code| ("code".to_owned(), String::from_utf8_lossy(&code.0).into_owned().into())),
            );
            let deletion = if *keeps { DeletionBehavior::Kept } else { DeletionBehavior::Owned };
            let external = Desired::external(external).on_deletion(deletion);
            graph.add::<External>(external, guard.map(starts_after).as_slice());
        }
        Ok(())
    }
}

fn connection(world: &World<'_>, system: &System) -> Result<Option<Connection>, PlanError> {
    let secret = world.require::<Secret>(&system.name)?;
    let value = |key: &str| {
        let bytes = secret.data.as_ref().and_then(|data| data.get(key));
        bytes.map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned())
    };
    let is_closed = value("closed").is_some();
    let connection = || match value("identity") {
        Some(identity) => Connection::new(json!({"token": value("token")})).identified_by(&identity),
        None => Connection::new(json!({"token": value("token")})),
    };
    Ok((!is_closed).then(connection))
}
