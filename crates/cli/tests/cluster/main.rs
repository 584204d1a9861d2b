//! The operator on an API server: ours in memory, or a real one if `KUBEBUILDER_ASSETS` names it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod account;
mod adoption;
mod autoscaling;
mod command;
mod conversion;
mod core;
mod defaults;
mod definitions;
mod election;
mod harbor;
#[path = "../fixtures/harbor_of_pods.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod harbor_of_pods;
mod hostile;
mod installation;
#[path = "../fixtures/keys.rs"]
mod keys;
mod load;
mod logged;
mod management;
mod management_of_systems;
mod namespaced;
mod plan;
mod privileges;
mod process;
mod pull_secrets;
mod registry;
mod rules;
mod stack;
mod status;
mod status_of_pods;
mod strategy;
mod team;
mod telemetry;
mod workloads;
mod world;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
