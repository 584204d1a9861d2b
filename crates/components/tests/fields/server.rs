//! A server in memory, and children that are applied to it.

use crate::bases::Kind;
use apiserver::ApiServer;
use k8s_openapi::{
    api::core::v1::Namespace, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const NAMESPACE: &str = "registry";

/// A child without a field of its owner, and with it.
pub struct Change {
    /// The owner without the field, and with it.
    pub owners: [Value; 2],
    pub resource: ApiResource,
    pub without: Value,
    pub with: Value,
}

impl Change {
    /// Whether the child is of a kind of ours, of which a server knows the schema only.
    pub fn is_of_ours(&self) -> bool {
        self.resource.group == "goharbor.io"
    }
}

/// A server that knows all kinds of children.
pub struct Server {
    client: Client,
    /// What was applied last under each name, and how it was stored.
    last: BTreeMap<(String, String), (Value, Value)>,
}

impl Server {
    /// Starts one for the children of a kind.
    pub async fn start(owners: &Kind) -> Self {
        // Owners are not created, and the garbage collector would delete what has no owner.
        let server = ApiServer::builder().without_controllers().build().unwrap();
        let client = Client::new(server, NAMESPACE);
        let namespace: Namespace = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}})).unwrap();
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap();
        let ours = owners.children.iter().filter_map(|kind| api::crds::of(kind));
        let foreign = sandbox::definitions::all().into_iter().map(|it| serde_json::from_value(it).unwrap());
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        for definition in ours.chain(foreign) {
            definitions.create(&PostParams::default(), &definition).await.unwrap();
        }
        Self { client, last: BTreeMap::new() }
    }

    /// Applies a child without, with, and without the field; fails unless it is stored as it was before.
    pub async fn round_trip(&mut self, change: &Change) -> Result<(), String> {
        let Change { resource, without, with, .. } = change;
        let id = (resource.kind.clone(), without["metadata"]["name"].as_str().unwrap().to_owned());
        let before = match self.last.remove(&id) {
            Some((applied, stored)) if applied == *without => stored,
            Some(_) => {
                self.delete(resource, &id.1).await;
                self.apply(resource, &id.1, without).await?
            }
            None => self.apply(resource, &id.1, without).await?,
        };
        self.apply(resource, &id.1, with).await?;
        let after = self.apply(resource, &id.1, without).await?;
        if before == after {
            self.last.insert(id, (without.clone(), after));
            return Ok(());
        }
        self.delete(resource, &id.1).await;
        let left = json_patch::diff(&before, &after);
        Err(format!("{} {} is not what it was: {left}", id.0, id.1))
    }

    async fn apply(&self, resource: &ApiResource, name: &str, object: &Value) -> Result<Value, String> {
        let api = Api::<DynamicObject>::default_namespaced_with(self.client.clone(), resource);
        let key = crate::cases::key(object);
        match runtime::server_side_apply(&api, &key, "operator", object).await {
            Ok(stored) => Ok(settled(&stored)),
            Err(error) => {
                self.delete(resource, name).await;
                Err(format!("{} {name} is refused by the server: {error}", resource.kind))
            }
        }
    }

    /// Whether such owners are valid: the rules of their definitions check more than a plan does.
    pub async fn accepts(&self, kind: &Kind, owners: &[Value]) -> bool {
        let definition = &kind.definition;
        let names = &definition.spec.names;
        let resource = ApiResource::from_gvk_with_plural(
            &GroupVersionKind::gvk(&definition.spec.group, "v1beta1", &names.kind),
            &names.plural,
        );
        // It may exist already.
        let _ = Api::all(self.client.clone()).create(&PostParams::default(), definition).await;
        let api = Api::<DynamicObject>::default_namespaced_with(self.client.clone(), &resource);
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        for owner in owners {
            let owner: DynamicObject = serde_json::from_value(owner.clone()).unwrap();
            if api.create(&dry, &owner).await.is_err() {
                return false;
            }
        }
        true
    }

    async fn delete(&self, resource: &ApiResource, name: &str) {
        let api = Api::<DynamicObject>::default_namespaced_with(self.client.clone(), resource);
        // It may not exist yet.
        let _ = api.delete(name, &DeleteParams::default()).await;
    }
}

/// A stored object without what differs with every write.
fn settled(object: &DynamicObject) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.remove("resourceVersion");
    metadata.remove("generation");
    for entry in metadata["managedFields"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("time");
    }
    object
}
