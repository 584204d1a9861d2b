//! HarborReplication: copies artifacts between a Harbor and another registry.
//!
//! The policy is created after the endpoint of the other registry exists in Harbor.
//!
//! Uses: management.

mod policy;

use crate::management::{self, Policy, Server};
use api::v1beta1;
use harborstate::replication::Replication;
use kube::ResourceExt as _;
use plan::{Builder, Children, Component, Conclusion, Connect, External, PlanError, World};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborReplication`].
pub struct HarborReplication;

impl Component for HarborReplication {
    type Owner = v1beta1::HarborReplication;

    const NAME: &'static str = "harborreplication";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::fields_with_id::<Replication>("policyID", |facts| facts.id.into(), conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let (direction, registry) = policy::other_side(spec)?;
        let registry = registry.name(&namespace, &system, &server, world);
        let replication = policy::replication(spec, direction, registry, &server)?;
        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let external = management::object(&system, &spec.policy_name, &replication)?;
        graph.add::<External>(policy.desired(external), ());
        Ok(())
    }
}
