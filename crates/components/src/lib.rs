//! What every Harbor component wants to exist: one folder per component, pure throughout.

mod authorities;
mod availability;
mod bundles;
#[cfg(test)]
#[path = "../tests/cases/mod.rs"]
mod cases;
mod catalogue;
pub mod chartmuseum;
mod claims;
pub mod core;
mod duration;
mod environment;
pub mod exporter;
mod front;
#[doc(hidden)]
pub mod fuzzing;
pub mod harbor;
pub mod harborcluster;
#[cfg(test)]
mod hostile;
mod image;
mod ingress;
mod ingress_controller;
mod instance;
pub mod jobservice;
mod labels;
mod metrics;
mod network_policy;
mod nginx;
mod notary;
pub mod notaryserver;
pub mod notarysigner;
mod pem;
mod percent;
mod place;
mod pod_security;
pub mod portal;
mod ports;
mod postgres;
#[cfg(test)]
mod predecessor;
mod probes;
mod proxy;
mod quantity;
mod redis;
pub mod registry;
mod registry_login;
pub mod registrycontroller;
mod relocation;
mod resources;
mod retention;
mod secret_key;
mod service_monitor;
mod tls;
mod trace;
pub mod trivy;
mod url;
mod version;
mod volumes;
mod workload;
mod yaml;

pub use version::HarborVersion;

use plan::{Component, ComponentKind};

/// Every kind of component there is; the only list of them.
pub fn all() -> Vec<ComponentKind> {
    vec![
        ComponentKind::of::<harborcluster::HarborCluster>(),
        ComponentKind::of::<harbor::Harbor>(),
        ComponentKind::of::<core::Core>(),
        ComponentKind::of::<registry::Registry>(),
        ComponentKind::of::<registrycontroller::RegistryController>(),
        ComponentKind::of::<portal::Portal>(),
        ComponentKind::of::<jobservice::JobService>(),
        ComponentKind::of::<exporter::Exporter>(),
        ComponentKind::of::<trivy::Trivy>(),
        ComponentKind::of::<chartmuseum::ChartMuseum>(),
        ComponentKind::of::<notaryserver::NotaryServer>(),
        ComponentKind::of::<notarysigner::NotarySigner>(),
    ]
}

/// Something to be done once for every kind of component.
pub trait Visitor {
    /// Does it for `C`.
    fn visit<C: Component>(&mut self);
}

/// Shows a visitor every kind of component there is; the only list of them.
pub fn for_each(visitor: &mut impl Visitor) {
    visitor.visit::<harborcluster::HarborCluster>();
    visitor.visit::<harbor::Harbor>();
    visitor.visit::<core::Core>();
    visitor.visit::<registry::Registry>();
    visitor.visit::<registrycontroller::RegistryController>();
    visitor.visit::<portal::Portal>();
    visitor.visit::<jobservice::JobService>();
    visitor.visit::<exporter::Exporter>();
    visitor.visit::<trivy::Trivy>();
    visitor.visit::<chartmuseum::ChartMuseum>();
    visitor.visit::<notaryserver::NotaryServer>();
    visitor.visit::<notarysigner::NotarySigner>();
}
