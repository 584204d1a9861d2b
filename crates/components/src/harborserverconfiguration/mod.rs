//! HarborServerConfiguration: the address and the credentials of a Harbor, whether this operator runs it or not.
//!
//! It has no children. It is ready when the Harbor answers, its certificate is trusted, it accepts the credentials, and the
//! webhook can use the rules for images. The health of the components of the Harbor is a condition of its own: projects can be
//! managed while a scanner is down.
//!
//! Uses: management.

mod rules;

use crate::management::{self, Legacy, Server};
use api::v1beta1::{self, harborserverconfiguration::Principal};
use harborstate::{
    State as _,
    health::{self, Health},
    server,
};
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt as _;
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, KindCondition, PlanError, System, World,
};
use serde_json::{Map, Value, json};

/// The condition that tells whether all components of the Harbor are healthy.
const HEALTHY: &str = "Healthy";

/// The component behind a [`v1beta1::HarborServerConfiguration`].
pub struct HarborServerConfiguration;

impl Component for HarborServerConfiguration {
    type Owner = v1beta1::HarborServerConfiguration;

    const NAME: &'static str = "harborserverconfiguration";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        // Whether a namespace may use the Harbor depends on its labels. This watch also shows the
        // operator which namespaces are being deleted.
        Children::none().reading::<Namespace>()
    }

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let mut fields = Legacy::fields(conclusion, |_| conclusion.verdict.reason());
        fields.remove("lastApplyTime");
        let server = Server::of(&system(owner), conclusion);
        if let Some(state) = server.state() {
            let principal = match state.principal {
                server::Principal::Admin => Principal::Admin,
                server::Principal::User => Principal::User,
                server::Principal::Robot => Principal::Robot,
            };
            fields.insert("version".to_owned(), json!(state.version));
            fields.insert("principal".to_owned(), json!(principal));
        }
        fields
    }

    fn conditions(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        let found = conclusion.external(&system(owner), Health::COLLECTION, health::NAME);
        let health = found.and_then(|found| serde_json::from_value::<Health>(found.clone()).ok());
        let Some(Health { unhealthy }) = health else { return vec![KindCondition::as_before(HEALTHY)] };
        if unhealthy.is_empty() {
            return vec![KindCondition::is_true(HEALTHY, "Healthy")];
        }
        let names: Vec<_> = unhealthy.into_iter().collect();
        let message = format!("Harbor says that these components are not healthy: {}", names.join(", "));
        vec![KindCondition::is_false(HEALTHY, "Unhealthy").with_message(message).as_warning()]
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
        let system = system(owner);
        let server = Server::read(&system, world);
        // The operator plans again when this read begins to fail: a Harbor that does not answer is not ready.
        let health = world.external(&system, Health::COLLECTION, health::NAME);
        let default = management::check_default(owner, world);
        (server, health, default, rules::check(&owner.spec.rules)).all().map(drop)
    }
}

fn system(owner: &v1beta1::HarborServerConfiguration) -> System {
    harborstate::system("", &owner.name_any())
}
