//! Registry: stores and serves images. Its pods run the registry controller, too, since both need the same store.
//!
//! Uses: certificates, connections, data, observability, pods, registrycontroller, secrets, values.

mod config;
mod deployment;
mod driver;
mod environment;
mod files;
mod key_files;
mod options;
mod service;
mod settings;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::{
    certificates::add_deployment,
    connections::{Server, redis_password_key, restarts},
    data::claim_children,
    observability::Monitor,
    pods::{add_availability, availability_children},
    registrycontroller,
};
use api::{
    thirdparty::monitoring::ServiceMonitor,
    v1beta1::{self, RegistrySpec},
};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::NetworkPolicy,
};
use plan::{All, Builder, Children, Component, PlanError, RestartOrder, World};

/// Port that the registry listens on, with and without TLS.
const PORT: i32 = 5000;

/// Key of the ConfigMap, and name of the file.
const FILE: &str = "config.yml";

/// Path of the configuration file, for the registry and its controller.
const CONFIG_PATH: &str = "/etc/registry/config.yml";

const DIRECTORY: &str = "/etc/registry";
const TLS_DIRECTORY: &str = "/etc/registry/ssl";
const HTPASSWD_DIRECTORY: &str = "/etc/registry/auth";
const SCHEMA1_DIRECTORY: &str = "/etc/registry/compatibility-schema1";

/// The component behind a [`v1beta1::Registry`].
pub struct Registry;

impl Component for Registry {
    type Owner = v1beta1::Registry;

    const NAME: &'static str = "registry";

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
        owner: &v1beta1::Registry,
        world: &World<'_>,
        graph: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let controller = world.require(owner.metadata.name.as_deref().unwrap_or_default());
        let (registry, monitor) =
            (Validated::read(owner, controller.as_ref(), world), monitor(&owner.spec, world)).all()?;

        registry.claims.add(graph, &registry.instance);
        graph.add::<Service>(service::service(&registry), ());
        graph.add::<Service>(registrycontroller::service(&registry.controller, &registry.instance), ());
        if let Some(policy) = service::policy(&registry) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(registry.instance.config_map(FILE, &*registry.config), ());
        let sidecar =
            graph.add::<ConfigMap>(registrycontroller::config_map(&registry.controller, CONFIG_PATH)?, ());
        let secret = registry.secret().map(|secret| graph.add::<Secret>(secret, ()));
        let pods = deployment::deployment(&registry).restarting(restarts_for(&registry));
        add_deployment(graph, &registry.instance, pods, (config, sidecar, secret), world)?;
        add_availability(graph, &registry.instance);
        if let Some(monitor) = monitor {
            monitor.add(graph, &registry.instance);
        }
        Ok(())
    }
}

fn restarts_for(registry: &Validated<'_>) -> Vec<RestartOrder> {
    let redis = registry.spec.redis.as_ref().and_then(|redis| redis_password_key(&redis.connection.server));
    restarts(&registry.instance, [(Server::Redis, redis)])
}

/// The ServiceMonitor of the metrics, if they are enabled.
fn monitor<'a>(spec: &'a RegistrySpec, world: &World<'_>) -> Result<Option<Monitor<'a>>, PlanError> {
    let debug = spec.http.as_ref().and_then(|http| http.debug.as_ref());
    match debug.and_then(|debug| debug.prometheus.as_ref()).filter(|metrics| metrics.enabled) {
        Some(metrics) => Monitor::of(metrics.service_monitor.as_ref(), &metrics.path, world),
        None => Ok(None),
    }
}
