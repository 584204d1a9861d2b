//! PullSecretBinding: lets the pods of a ServiceAccount pull images of a project, with a robot account.
//!
//! The operator writes a Secret for container runtimes and adds it to the ServiceAccount, which other programs create and manage.
//! It needs the password of the robot account: a user gives it in a Secret, or permits the operator to set a new one. A
//! HarborRobot has a Secret of its own, which is then used instead.
//!
//! Nothing of that is undone in Harbor when the object is deleted.
//!
//! Uses: management, secrets.

mod account;
mod password;
mod pull_secret;
mod service_account;
mod status;

use self::password::Source;
use crate::management::{self, Server};
use api::v1beta1;
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube::ResourceExt as _;
use plan::{
    Amended, Builder, Children, Component, Conclusion, Connect, External, PlanError, World, starts_after,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::PullSecretBinding`].
pub struct PullSecretBinding;

impl Component for PullSecretBinding {
    type Owner = v1beta1::PullSecretBinding;

    const NAME: &'static str = "pullsecretbinding";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and::<Secret>().amending::<ServiceAccount>().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        status::fields(conclusion)
    }

    fn left_behind(owner: &Self::Owner) -> Vec<Amended> {
        service_account::left_behind(owner)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let (name, secret) = if let Some(robot) = &spec.robot_ref {
            let name = pull_secret::of_robot(robot, &system, &namespace, world)?;
            let awaited = pull_secret::awaited(&name, &namespace, &format!("HarborRobot {robot} writes it"));
            (name, graph.add::<Secret>(awaited, ()))
        } else {
            let source = password::source(owner)?;
            let server = Server::read(&system, world)?;
            let account = account::find(spec, (&system, &namespace), &server, world)?;
            let name = pull_secret::name(owner, world)?;
            let password = source.read(&namespace, world)?;
            let harbor = (&system, &server);
            let secret = pull_secret::secret(&name, &namespace, harbor, account.as_ref(), &password, world)?;
            let secret = match (&source, &account) {
                (Source::Given(_), _) | (_, None) => graph.add::<Secret>(secret, ()),
                (Source::Generated(stored), Some(account)) => {
                    let stored = graph.add::<Secret>(password::generated(stored, &namespace), ());
                    let robot = account.with_password(&system, &password)?;
                    let robot = graph.add::<External>(robot, starts_after(stored));
                    // Not before Harbor has accepted the password.
                    graph.add::<Secret>(secret, robot)
                }
            };
            (name, secret)
        };
        graph.add::<ServiceAccount>(
            service_account::amended(&spec.service_account, &namespace, &name),
            secret,
        );
        Ok(())
    }
}
