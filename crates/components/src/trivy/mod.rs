//! Trivy: the adapter with which Harbor scans images for vulnerabilities.
//!
//! Its queue and its results are in Redis, its database of vulnerabilities in a volume that may be lost.
//!
//! Uses: certificates, connections, data, pods, secrets, values, versions.

mod callers;
mod config;
mod deployment;
mod environment;
mod secret;
mod service;
mod storage;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::{
    certificates::add_deployment,
    connections::{Server, redis_password_key, restarts},
    data::claim_children,
    pods::{add_availability, availability_children},
};
use api::v1beta1;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::NetworkPolicy,
};
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::Trivy`].
pub struct Trivy;

impl Component for Trivy {
    type Owner = v1beta1::Trivy;

    const NAME: &'static str = "trivy";

    fn children() -> Children {
        claim_children(availability_children(Children::none()))
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Secret>()
            .and::<Deployment>()
    }

    fn desired(owner: &v1beta1::Trivy, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let trivy = Validated::read(owner, world)?;

        trivy.claims.add(graph, &trivy.instance);
        graph.add::<Service>(service::service(&trivy), ());
        if let Some(policy) = service::policy(&trivy) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(config::config_map(&trivy), ());
        let access = graph.add::<Secret>(secret::secret(&trivy), ());
        let redis = redis_password_key(&trivy.redis.spec.connection.server);
        let restarts = restarts(&trivy.instance, [(Server::Redis, redis)]);
        let pods = deployment::deployment(&trivy).restarting(restarts);
        add_deployment(graph, &trivy.instance, pods, (config, access), world)?;
        add_availability(graph, &trivy.instance);
        Ok(())
    }
}
