//! Exporter: serves metrics of Harbor, which it reads from Harbor's database, queue and API.
//!
//! One pod is enough: every pod would report the same metrics.
//!
//! Uses: certificates, connections, jobservice, observability, pods, secrets, values, versions.

mod deployment;
mod environment;
mod secret;
mod service;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::{
    certificates::add_deployment,
    connections::{Server, postgres_password_key, redis_password_key, restarts},
    observability::Monitor,
    pods::add_availability,
};
use api::{thirdparty::monitoring::ServiceMonitor, v1beta1};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::NetworkPolicy,
    policy::v1::PodDisruptionBudget,
};
use plan::{All, Builder, Children, Component, PlanError, RestartOrder, World};

/// The component behind a [`v1beta1::Exporter`].
pub struct Exporter;

impl Component for Exporter {
    type Owner = v1beta1::Exporter;

    const NAME: &'static str = "exporter";

    fn children() -> Children {
        Children::none()
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Secret>()
            .and::<Deployment>()
            .and::<PodDisruptionBudget>()
            .and::<ServiceMonitor>()
    }

    fn desired(
        owner: &v1beta1::Exporter,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let endpoint = &owner.spec.endpoint;
        let monitor = Monitor::of(endpoint.service_monitor.as_ref(), &endpoint.path, world);
        let (exporter, monitor) = (Validated::read(owner, world), monitor).all()?;

        graph.add::<Service>(service::service(&exporter), ());
        if let Some(policy) = service::policy(&exporter) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let access = graph.add::<Secret>(secret::secret(&exporter), ());
        let pods = deployment::deployment(&exporter).restarting(restarts_for(&exporter));
        add_deployment(graph, &exporter.instance, pods, access, world)?;
        add_availability(graph, &exporter.instance);
        if let Some(monitor) = monitor {
            monitor.add(graph, &exporter.instance);
        }
        Ok(())
    }
}

fn restarts_for(exporter: &Validated<'_>) -> Vec<RestartOrder> {
    let spec = exporter.spec;
    let pool = spec.jobservice.as_ref().and_then(|jobservice| jobservice.redis_pool.as_ref());
    let redis = pool.and_then(|pool| redis_password_key(&pool.connection.server));
    let database = postgres_password_key(&spec.database.connection.credentials);
    restarts(&exporter.instance, [(Server::Database, database), (Server::Redis, redis)])
}
