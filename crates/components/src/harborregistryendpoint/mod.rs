//! HarborRegistryEndpoint: another registry that a Harbor replicates with or caches.
//!
//! Harbor contacts the registry before it stores anything. A registry that does not answer is waited for: the
//! object is not wrong. Nothing is sent while nothing differs, so that an outage of the registry changes
//! nothing.
//!
//! Uses: certificates, management, secrets.

mod endpoint;

use crate::{
    management::{self, Policy, Server},
    secrets::Secrets,
};
use api::v1beta1;
use harborstate::registry::RegistryEndpoint;
use kube::ResourceExt as _;
use plan::{Builder, Children, Component, Conclusion, Connect, External, KindCondition, PlanError, World};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborRegistryEndpoint`].
pub struct HarborRegistryEndpoint;

impl Component for HarborRegistryEndpoint {
    type Owner = v1beta1::HarborRegistryEndpoint;

    const NAME: &'static str = "harborregistryendpoint";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::fields_with_id::<RegistryEndpoint>("registryID", |facts| facts.id.into(), conclusion)
    }

    fn conditions(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        let shown = management::found::<RegistryEndpoint>(conclusion).next().map(|(_, it)| it.facts.status);
        vec![management::remote_health(shown.as_deref(), "the registry")]
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let (endpoint, write_only) = endpoint::endpoint(spec, &Secrets::new(world, &namespace), &server)?;
        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let external = management::object(&system, &spec.registry_name, &endpoint)?;
        graph.add::<External>(policy.desired(External { write_only, ..external }), ());
        Ok(())
    }
}
