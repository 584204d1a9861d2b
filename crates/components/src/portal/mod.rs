//! Portal: Harbor's web pages, served by nginx. It opens no connections.
//!
//! Uses: certificates, exposure, nginx, pods, secrets, versions.

mod config;
mod deployment;
mod service;
#[cfg(test)]
mod tests;
mod validated;

use self::validated::Validated;
use crate::pods::{add_availability, availability_children};
use api::v1beta1;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Service},
    networking::v1::NetworkPolicy,
};
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::Portal`].
pub struct Portal;

impl Component for Portal {
    type Owner = v1beta1::Portal;

    const NAME: &'static str = "portal";

    fn children() -> Children {
        availability_children(Children::none())
            .and::<Service>()
            .and::<NetworkPolicy>()
            .and::<ConfigMap>()
            .and::<Deployment>()
    }

    fn desired(owner: &v1beta1::Portal, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let portal = Validated::read(owner, world)?;

        graph.add::<Service>(service::service(&portal), ());
        for policy in service::policies(&portal) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        let config = graph.add::<ConfigMap>(config::config_map(&portal), ());
        graph.add::<Deployment>(deployment::deployment(&portal), config);
        add_availability(graph, &portal.instance);
        Ok(())
    }
}
