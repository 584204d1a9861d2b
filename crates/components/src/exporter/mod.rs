//! Exporter: Harbor's metrics for Prometheus, read from its database, its queue and its API.
//!
//! One pod is enough: each of several would report the same.

mod deployment;
mod environment;
mod inputs;
mod secret;
mod service;
#[cfg(test)]
mod tests;

use self::inputs::Inputs;
use crate::availability;
use api::v1beta1;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Secret, Service},
    networking::v1::NetworkPolicy,
    policy::v1::PodDisruptionBudget,
};
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::Exporter`].
pub struct Exporter;

impl Component for Exporter {
    type Owner = v1beta1::Exporter;

    const NAME: &'static str = "exporter";

    fn children() -> Children {
        Children::none()
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<Secret>()
            .and::<Deployment>()
            .and::<PodDisruptionBudget>()
    }

    fn desired(
        owner: &v1beta1::Exporter,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let exporter = Inputs::read(owner, world)?;

        graph.add::<Service>(service::service(&exporter), ());
        if let Some(policy) = service::policy(&exporter) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let access = graph.add::<Secret>(secret::secret(&exporter), ());
        graph.add::<Deployment>(deployment::deployment(&exporter), access);
        availability::add(graph, &exporter.instance);
        Ok(())
    }
}
