//! HarborRobot: a robot account of a Harbor, with its credentials in a Secret.
//!
//! The operator generates the password, in a Secret `<name>-robot` of its own, before Harbor gets it: whatever is
//! interrupted, the password that Harbor has is one that the operator knows. A renewal is another Secret of this kind. The
//! Secret that pods use is written last, and only with a password that Harbor has accepted.
//!
//! Without `spec.secret`, the operator leaves the password of the robot account alone.
//!
//! Uses: management, secrets, values.

mod accounts;
mod credentials;
mod expiry;
mod permissions;
mod status;
mod turns;

use self::{accounts::Accounts, credentials::Credentials};
use crate::management::{self, Policy, Projects, Server};
use api::v1beta1;
use harborstate::robot::Robot;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, External, KindCondition, PlanError,
    Violation, World, starts_after,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborRobot`].
pub struct HarborRobot;

impl Component for HarborRobot {
    type Owner = v1beta1::HarborRobot;

    const NAME: &'static str = "harborrobot";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and::<Secret>().and_external()
    }

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        status::fields(owner, conclusion)
    }

    fn conditions(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        vec![expiry::condition(owner, conclusion)]
    }

    fn advice(owner: &Self::Owner) -> Vec<Violation> {
        credentials::advice(&owner.spec)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let projects = Projects { system: &system, server: &server, namespace: &namespace, world };
        let (robot, accounts) = (permissions::robot(spec, projects), Accounts::of(owner, projects)).all()?;
        let duration = expiry::duration(owner, &accounts.current, projects)?;
        let robot = Robot { duration: Some(duration), ..robot };
        let (credentials, ()) = (
            Credentials::new(owner, &namespace, world),
            expiry::check(spec, (&accounts.current, duration), projects),
        )
            .all()?;

        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let mut add = |account: &accounts::Account| {
            let external = management::object(&system, &account.name, &robot)?;
            let robot = match &credentials {
                None => graph.add::<External>(policy.desired(external), ()),
                Some(credentials) => {
                    let write_only = credentials.write_only(account)?;
                    let password = graph.add::<Secret>(credentials.generated(account), ());
                    let external = External { write_only, ..external };
                    graph.add::<External>(policy.desired(external), starts_after(password))
                }
            };
            Ok::<_, PlanError>(robot)
        };
        if let Some(previous) = &accounts.previous {
            add(previous)?;
        }
        let robot = add(&accounts.current)?;
        if let Some(credentials) = &credentials {
            // Not before Harbor has accepted the password.
            graph.add::<Secret>(credentials.output(&accounts.current, &system, &server)?, robot);
        }
        Ok(())
    }
}
