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
    /// One in Harbor.
    Named {
        /// Its name.
        name: &'a str,
        /// The field that has the name.
        field: &'static str,
    },
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
        let (name, object, problem) = match self {
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
                (endpoint.spec.registry_name, object, "does not exist in Harbor yet".to_owned())
            }
            Self::Named { name, field } => {
                let object = ObjectKey::external(system, RegistryEndpoint::COLLECTION, name);
                (name.to_owned(), object, format!("does not exist; create it in Harbor, or correct {field}"))
            }
        };
        match world.external(system, RegistryEndpoint::COLLECTION, &name)? {
            Some(_) => Ok(name),
            None if server.state().is_none() => Ok(name),
            None => Err(PlanError::unsettled(object, problem)),
        }
    }
}
