//! What every Harbor component wants to exist, as pure functions of its spec and of what it reads.
//!
//! How to read this crate: [`all`] lists the kinds. Each kind is a folder whose `mod.rs` is a table of contents: it
//! implements [`plan::Component`], so it says which children exist and which of them wait for which. Beside it,
//! `validated.rs` reads and validates everything that the children are made from, and one file builds each child.
//! [`harborcluster`] creates a [`harbor`], and a Harbor creates the objects of all other kinds that are a part of it.
//! [`mod@namespace`] creates objects of day 2.
//!
//! What several components share is in rooms, folders that know no component:
//!
//! | room | is about |
//! |---|---|
//! | `values` | values that users write, and what is wrong with them |
//! | `versions` | versions of Harbor, their features and their images |
//! | `secrets` | keys of Secrets |
//! | `pods` | Deployments, containers, volumes, ports, labels, network policies |
//! | `certificates` | certificates that are served with and trusted |
//! | `connections` | PostgreSQL, Redis, the registry, URLs, the proxy |
//! | `observability` | metrics and traces |
//! | `exposure` | Ingresses and the Services behind them |
//! | `data` | claims, where data is, and whether it is kept |
//! | `nginx` | configuration files of nginx, for `portal` and `front` |
//! | `front` | the web server in front of a Harbor that has no Ingress |
//! | `notary` | what the two programs of Notary share |
//! | `management` | objects inside a running Harbor: which Harbor, how to reach it, what it can do |
//!
//! The line `Uses:` in the `mod.rs` of a folder names the folders that it may import from; a test checks it.

#[cfg(test)]
#[path = "../tests/cases/mod.rs"]
#[allow(dead_code, reason = "shared with the integration tests")]
mod cases;
mod certificates;
pub mod chartmuseum;
mod connections;
pub mod core;
mod data;
pub mod exporter;
mod exposure;
mod front;
#[doc(hidden)]
pub mod fuzzing;
pub mod harbor;
pub mod harborcluster;
pub mod harborconfiguration;
pub mod harborpreheatinstance;
pub mod harborproject;
pub mod harborprojectmember;
pub mod harborregistryendpoint;
pub mod harborreplication;
pub mod harborrobot;
pub mod harborscanner;
pub mod harborserverconfiguration;
pub mod harbortask;
pub mod harboruser;
pub mod harborusergroup;
pub mod jobservice;
mod management;
pub mod namespace;
mod nginx;
mod notary;
pub mod notaryserver;
pub mod notarysigner;
mod observability;
mod pods;
pub mod portal;
pub mod pullsecretbinding;
pub mod registry;
pub mod registrycontroller;
mod secrets;
#[cfg(test)]
mod tests;
pub mod trivy;
mod values;
mod versions;

pub use versions::HarborVersion;

use plan::ComponentKind;

/// Every kind of component there is, also those that an operator reconciles only if a flag asks for it.
pub fn with_optional() -> Vec<ComponentKind> {
    all().into_iter().chain([namespace()]).collect()
}

/// The annotations of Namespaces, an optional kind of component: it needs permissions of its own.
pub fn namespace() -> ComponentKind {
    ComponentKind::of::<namespace::Namespace>()
}

/// Every kind of component that each operator reconciles; the only list of them.
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
        ComponentKind::of::<harborserverconfiguration::HarborServerConfiguration>(),
        ComponentKind::of::<harborconfiguration::HarborConfiguration>(),
        ComponentKind::of::<harborproject::HarborProject>(),
        ComponentKind::of::<harbortask::HarborTask>(),
        ComponentKind::of::<harborregistryendpoint::HarborRegistryEndpoint>(),
        ComponentKind::of::<harborreplication::HarborReplication>(),
        ComponentKind::of::<harborscanner::HarborScanner>(),
        ComponentKind::of::<harborpreheatinstance::HarborPreheatInstance>(),
        ComponentKind::of::<harborrobot::HarborRobot>(),
        ComponentKind::of::<harborprojectmember::HarborProjectMember>(),
        ComponentKind::of::<harborusergroup::HarborUserGroup>(),
        ComponentKind::of::<harboruser::HarborUser>(),
        ComponentKind::of::<pullsecretbinding::PullSecretBinding>(),
    ]
}
