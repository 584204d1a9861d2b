//! HarborPreheatInstance: a P2P network that a Harbor preheats with images, and the policies that say with
//! which.
//!
//! The instance comes first, and its policies need it: they are left as they are while the instance is that of another
//! owner. A policy that is no longer listed is deleted if the
//! operator created it and the deletion policy says so.
//!
//! Uses: management, secrets.

mod instance;
mod policies;

use crate::{
    management::{self, Policy, Server},
    secrets::Secrets,
};
use api::v1beta1::{self, creation_policy::CreationPolicy};
use harborstate::preheat_instance::{self, PreheatInstance};
use kube::ResourceExt as _;
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, External, KindCondition, PlanError, World,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborPreheatInstance`].
pub struct HarborPreheatInstance;

impl Component for HarborPreheatInstance {
    type Owner = v1beta1::HarborPreheatInstance;

    const NAME: &'static str = "harborpreheatinstance";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let id = |facts: preheat_instance::Facts| facts.id.into();
        let mut fields = management::fields_with_id::<PreheatInstance>("instanceID", id, conclusion);
        fields.extend(policies::created_field(conclusion));
        fields
    }

    fn conditions(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        let shown = management::found::<PreheatInstance>(conclusion).next().map(|(_, it)| it.facts.status);
        vec![management::remote_health(shown.as_deref(), "the P2P network")]
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let (write_only, policies) = (
            instance::credentials(spec, &Secrets::new(world, &namespace)),
            policies::policies(spec, &server),
        )
            .all()?;

        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let external = management::object(&system, &spec.instance_name, &instance::instance(spec))?;
        let instance = graph.add::<External>(policy.desired(External { write_only, ..external }), ());
        let part = Policy { creation: CreationPolicy::CreateOrAdopt, ..policy };
        for (name, state) in policies {
            let external = management::object(&system, &name, &state)?;
            let external = External { described_by: Some("spec.policies"), ..external };
            graph.add::<External>(part.desired(external), instance);
        }
        Ok(())
    }
}
