//! JobService: runs Harbor's background jobs.
//!
//! JobService requests Harbor's settings from Core when it starts, and exits if Core does not answer. A Harbor
//! therefore creates it after Core.
//!
//! Uses: certificates, connections, core, data, observability, pods, secrets, values, versions.

mod config;
mod deployment;
mod environment;
mod loggers;
mod queue;
mod secret;
mod service;
#[cfg(test)]
mod tests;
mod validated;

#[cfg(test)]
pub(crate) use self::queue::queue_namespace;
pub(crate) use self::queue::{Queue, check_queue};

use self::validated::Validated;
use crate::{
    certificates::add_deployment,
    connections::{Server, postgres_password_key, redis_password_key, restarts},
    data::claim_children,
    observability::Monitor,
    pods::{add_availability, availability_children},
};
use api::{thirdparty::monitoring::ServiceMonitor, v1beta1};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::NetworkPolicy,
};
use plan::{All, Builder, Children, Component, PlanError, RestartOrder, World};

/// The component behind a [`v1beta1::JobService`].
pub struct JobService;

impl Component for JobService {
    type Owner = v1beta1::JobService;

    const NAME: &'static str = "jobservice";

    fn children() -> Children {
        claim_children(availability_children(Children::none()))
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Secret>()
            .and::<Deployment>()
            .and::<ServiceMonitor>()
    }

    fn desired(
        owner: &v1beta1::JobService,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let metrics = owner.spec.metrics.as_ref();
        let (jobservice, monitor) =
            (Validated::read(owner, world), Monitor::of_metrics(metrics, world)).all()?;

        jobservice.claims.add(graph, &jobservice.instance);
        graph.add::<Service>(service::service(&jobservice), ());
        if let Some(policy) = service::policy(&jobservice) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(config::config_map(&jobservice)?, ());
        let access = graph.add::<Secret>(secret::secret(&jobservice), ());
        let pods = deployment::deployment(&jobservice).restarting(restarts_for(&jobservice));
        add_deployment(graph, &jobservice.instance, pods, (config, access), world)?;
        add_availability(graph, &jobservice.instance);
        if let Some(monitor) = monitor {
            monitor.add(graph, &jobservice.instance);
        }
        Ok(())
    }
}

fn restarts_for(jobservice: &Validated<'_>) -> Vec<RestartOrder> {
    let spec = jobservice.spec;
    let queue = spec.worker_pool.redis_pool.as_ref().map(|pool| &pool.connection.server);
    let cache = spec.cache_layer.as_ref().map(|cache| &cache.redis.server);
    let redis = [queue, cache].into_iter().flatten();
    let redis = redis.map(|redis| (Server::Redis, redis_password_key(redis)));
    let database = (Server::Database, postgres_password_key(&jobservice.database.credentials));
    let of_core = restarts(&jobservice.instance, [database]).into_iter();
    let of_core = of_core.map(|order| RestartOrder { supply: jobservice.database.supply, ..order });
    of_core.chain(restarts(&jobservice.instance, redis)).collect()
}
