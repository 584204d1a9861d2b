//! ChartMuseum: Harbor's repository of Helm charts. Until Harbor 2.7; later versions keep charts as artifacts.
//!
//! Uses: certificates, connections, data, pods, secrets, values, versions.

mod cache;
mod config;
mod deployment;
mod environment;
mod service;
mod storage;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::{
    certificates::add_deployment,
    connections::{Server, restarts},
    data::claim_children,
    pods::{add_availability, availability_children},
};
use api::v1beta1;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Service},
    networking::v1::NetworkPolicy,
};
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::ChartMuseum`].
pub struct ChartMuseum;

impl Component for ChartMuseum {
    type Owner = v1beta1::ChartMuseum;

    const NAME: &'static str = "chartmuseum";

    fn children() -> Children {
        claim_children(availability_children(Children::none()))
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Deployment>()
    }

    fn desired(
        owner: &v1beta1::ChartMuseum,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let charts = Validated::read(owner, world)?;

        charts.claims.add(graph, &charts.instance);
        graph.add::<Service>(service::service(&charts), ());
        if let Some(policy) = service::policy(&charts) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(config::config_map(&charts)?, ());
        let redis = charts.cache.as_ref().and_then(|cache| cache.password);
        let restarts = restarts(&charts.instance, [(Server::Redis, redis)]);
        let pods = deployment::deployment(&charts).restarting(restarts);
        add_deployment(graph, &charts.instance, pods, config, world)?;
        add_availability(graph, &charts.instance);
        Ok(())
    }
}
