//! Core: Harbor's API server.
//!
//! Core creates its database when it first starts. When the schema changes later, a pod of its own migrates the database
//! before Core gets the new version. Core does not wait for other components.
//!
//! Uses: certificates, connections, data, exposure, management, observability, pods, secrets, values, versions.

mod access;
mod admin_password;
mod attempt;
mod config;
mod deployment;
mod endpoints;
mod environment;
mod fingerprint;
mod gated_pod;
mod key_rotation;
mod keys;
mod migration;
mod migration_pod;
mod record;
mod repair;
mod secret;
mod service;
mod settings;
#[cfg(test)]
mod tests;
mod validated;

pub(crate) use self::{access::DatabaseOfCore, fingerprint::has_key, record::Record};

use self::{key_rotation::KeyRotation, migration::Migration, validated::Validated};
use crate::{
    certificates::add_deployment,
    connections::{Server, postgres_password_key, redis_password_key, restarts},
    management,
    observability::Monitor,
    pods::{add_availability, availability_children},
};
use api::{thirdparty::monitoring::ServiceMonitor, v1beta1};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Pod, Secret, Service},
    networking::v1::NetworkPolicy,
};
use plan::{
    All, Builder, Children, Component, Connect, PlanError, RestartOrder, World, confirms, upgrades_after,
};

/// The component behind a [`v1beta1::Core`].
pub struct Core;

impl Component for Core {
    type Owner = v1beta1::Core;

    const NAME: &'static str = "core";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        availability_children(Children::none())
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Secret>()
            .and::<Deployment>()
            .and::<Pod>()
            .and::<ServiceMonitor>()
            .and_external_at_times()
    }

    fn desired(owner: &v1beta1::Core, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let metrics = owner.spec.metrics.as_ref();
        let (core, monitor) = (Validated::read(owner, world), Monitor::of_metrics(metrics, world)).all()?;

        graph.add::<Service>(service::service(&core), ());
        if let Some(policy) = service::policy(&core) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(config::config_map(&core), ());
        let access = graph.add::<Secret>(secret::secret(&core), ());
        let rotation = KeyRotation::of(&core, world)?;
        let has_begun = rotation.as_ref().is_some_and(KeyRotation::has_begun);
        let migration = if has_begun { None } else { Migration::of(&core, world)? };
        // What has begun is finished first; otherwise a migration goes first.
        let rotation = rotation.filter(|_| migration.is_none());
        let task = migration.as_ref().and_then(Migration::pod);
        if let Some(pod) = task.or_else(|| rotation.as_ref()?.pod()) {
            graph.add::<Pod>(pod, access);
        }
        let pods = match (&migration, &rotation) {
            (Some(migration), _) => migration.deployment(&core),
            (None, Some(rotation)) => rotation.deployment(&core),
            (None, None) if core.memory.is_rekeyed() => deployment::restarted(&core),
            (None, None) => deployment::deployment(&core),
        };
        let pods = pods.counting(admin_password::counted(&core)).restarting(restarts_for(&core));
        let pods = add_deployment(graph, &core.instance, pods, (config, access), world)?;
        match (&migration, &rotation) {
            (Some(migration), _) if !migration.has_succeeded() => {
                let record =
                    core.memory.while_migrating(&core.instance, migration.begun(), migration.prepared());
                graph.add::<Secret>(record, ());
                admin_password::add_current(&core, graph);
            }
            (None, Some(rotation)) if rotation.has_begun() => {
                graph.add::<Secret>(rotation.record(&core), ());
                admin_password::add_current(&core, graph);
            }
            _ => {
                graph.add::<Secret>(
                    core.memory.secret(&core.instance),
                    (confirms(pods), upgrades_after(pods)),
                );
                admin_password::add(owner, &core, pods, graph)?;
            }
        }
        add_availability(graph, &core.instance);
        if let Some(monitor) = monitor {
            monitor.add(graph, &core.instance);
        }
        Ok(())
    }
}

fn restarts_for(core: &Validated<'_>) -> Vec<RestartOrder> {
    let spec = core.spec;
    let registry = spec.components.registry.redis.as_ref();
    let redis = [Some(&spec.redis.connection), registry].into_iter().flatten();
    let redis = redis.map(|redis| (Server::Redis, redis_password_key(&redis.server)));
    let database = postgres_password_key(&spec.database.connection.credentials);
    restarts(&core.instance, std::iter::once((Server::Database, database)).chain(redis))
}
