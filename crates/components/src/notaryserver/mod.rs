//! NotaryServer: serves the signatures of images. Until Harbor 2.8; later versions have none.
//!
//! Its settings contain the URL of its database with the password, so they are in a Secret.
//!
//! Uses: certificates, exposure, notary, pods, secrets, versions.

mod deployment;
mod secret;
mod service;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::pods::{add_availability, availability_children};
use api::v1beta1;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Secret, Service},
    networking::v1::NetworkPolicy,
};
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::NotaryServer`].
pub struct NotaryServer;

impl Component for NotaryServer {
    type Owner = v1beta1::NotaryServer;

    const NAME: &'static str = "notaryserver";

    fn children() -> Children {
        availability_children(Children::none())
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<Secret>()
            .and::<Deployment>()
    }

    fn desired(
        owner: &v1beta1::NotaryServer,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let notary = Validated::read(owner, world)?;

        graph.add::<Service>(service::service(&notary), ());
        if let Some(policy) = service::policy(&notary) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let settings = graph.add::<Secret>(secret::secret(&notary)?, ());
        let restarts = notary.database.restarts(&notary.instance);
        graph.add::<Deployment>(deployment::deployment(&notary).restarting(restarts), settings);
        add_availability(graph, &notary.instance);
        Ok(())
    }
}
