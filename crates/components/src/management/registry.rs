//! Registry endpoints that other objects of a Harbor need.

use super::{Server, system as system_of};
use api::v1beta1::HarborRegistryEndpoint;
use harborstate::{State as _, registry::RegistryEndpoint};
use plan::{ObjectKey, PlanError, System, World};

/// The registry endpoints of a Harbor, for objects of a namespace.
#[derive(Clone, Copy)]
pub(crate) struct Registries<'a> {
    /// The Harbor.
    pub system: &'a System,
    /// What is known about it.
    pub server: &'a Server,
    /// The namespace of the objects.
    pub namespace: &'a str,
    /// Where it is looked up whether an endpoint exists.
    pub world: &'a World<'a>,
}

impl Registries<'_> {
    /// The name in Harbor of the endpoint that a HarborRegistryEndpoint describes, once it exists there.
    pub fn referenced(&self, name: &str, field: &str) -> Result<String, PlanError> {
        let endpoint = self.world.require::<HarborRegistryEndpoint>(name)?;
        if system_of(&endpoint.spec.target, self.namespace, self.world)? != *self.system {
            return Err(PlanError::invalid(
                field,
                format!("HarborRegistryEndpoint {name} is in another Harbor"),
                "give both objects the same harborRef or harborServerConfig",
            ));
        }
        let registry = endpoint.spec.registry_name;
        let object = ObjectKey::of::<HarborRegistryEndpoint>(self.namespace, name);
        self.exists(&registry, object, "does not exist in Harbor yet")?;
        Ok(registry)
    }

    /// The name of an endpoint, once it exists in Harbor.
    pub fn named(&self, name: &str, field: &str) -> Result<String, PlanError> {
        let object = ObjectKey::external(self.system, RegistryEndpoint::COLLECTION, name);
        self.exists(name, object, &format!("does not exist; create it in Harbor, or correct {field}"))?;
        Ok(name.to_owned())
    }

    /// Without a cluster, nothing is known about any endpoint.
    fn exists(&self, name: &str, object: ObjectKey, otherwise: &str) -> Result<(), PlanError> {
        let is_known = self.server.state().is_some();
        if is_known && self.world.external(self.system, RegistryEndpoint::COLLECTION, name)?.is_none() {
            return Err(PlanError::unsettled(object, otherwise));
        }
        Ok(())
    }
}
