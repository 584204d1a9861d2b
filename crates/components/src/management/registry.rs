//! Registry endpoints that other objects of a Harbor need.

use super::{Server, system as system_of};
use api::v1beta1::HarborRegistryEndpoint;
use harborstate::{State as _, registry::RegistryEndpoint};
use plan::{ObjectKey, PlanError, System, World};

/// Which registry endpoint a spec names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Registry<'a> {
    /// That of a HarborRegistryEndpoint in the same namespace.
    Described(&'a str),
    /// The one with this name in Harbor.
    Named(&'a str),
}

impl Registry<'_> {
    /// Its name in Harbor, once it exists there. Without a Harbor to ask it counts as existing.
    pub fn name(
        self,
        namespace: &str,
        system: &System,
        server: &Server,
        world: &World<'_>,
    ) -> Result<String, PlanError> {
        let (name, object) = match self {
            Self::Described(object) => {
                let endpoint = world.require::<HarborRegistryEndpoint>(object)?;
                let object = ObjectKey::of::<HarborRegistryEndpoint>(namespace, object);
                if system_of(&endpoint, &endpoint.spec.target, world)? != *system {
                    return Err(PlanError::invalid(
                        object,
                        "is in another Harbor",
                        "give both objects the same harborRef or harborServerConfig",
                    ));
                }
                (endpoint.spec.registry_name, object)
            }
            Self::Named(name) => {
                (name.to_owned(), ObjectKey::external(system, RegistryEndpoint::COLLECTION, name))
            }
        };
        match world.external(system, RegistryEndpoint::COLLECTION, &name)? {
            Some(_) => Ok(name),
            None if server.state().is_none() => Ok(name),
            None => Err(PlanError::unsettled(object, "does not exist in Harbor yet")),
        }
    }
}
