//! HarborServerConfiguration: the address and the credentials of a Harbor, whether this operator runs it or not.
//!
//! It has no children. It is ready when the Harbor answers, its certificate is trusted, and it accepts the credentials.
//!
//! Uses: management.

use crate::management::{self, Legacy, Server};
use api::v1beta1::{self, harborserverconfiguration::Principal};
use harborstate::server;
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt as _;
use plan::{All as _, Builder, Children, Component, Conclusion, Connect, PlanError, World};
use serde_json::{Map, Value, json};

/// The component behind a [`v1beta1::HarborServerConfiguration`].
pub struct HarborServerConfiguration;

impl Component for HarborServerConfiguration {
    type Owner = v1beta1::HarborServerConfiguration;

    const NAME: &'static str = "harborserverconfiguration";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        // Whether a namespace may use the Harbor depends on its labels.
        Children::none().reading::<Namespace>()
    }

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let mut fields = Legacy::fields(conclusion);
        fields.remove("lastApplyTime");
        let server = Server::of(&harborstate::system("", &owner.name_any()), conclusion);
        if let Some(state) = server.state() {
            let principal = match state.principal {
                server::Principal::Robot => Principal::Robot,
                server::Principal::Admin | server::Principal::User => Principal::Admin,
            };
            fields.insert("version".to_owned(), json!(state.version));
            fields.insert("principal".to_owned(), json!(principal));
        }
        fields
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
        let server = Server::read(&harborstate::system("", &owner.name_any()), world);
        (server, management::check_default(owner, world)).all().map(drop)
    }
}
