//! The kinds that describe objects inside a Harbor: an operator with a Harbor in memory, in virtual time.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

mod admin_password;
mod bad_input;
mod case;
mod cases;
mod connection;
mod contents;
mod faults;
mod harbor_configuration;
mod harbor_configuration_refusals;
mod harbor_preheat_instance;
mod harbor_project;
mod harbor_project_member;
mod harbor_project_parts;
mod harbor_registry_endpoint;
mod harbor_replication;
mod harbor_robot;
mod harbor_robot_expiry;
mod harbor_robot_rotation;
mod harbor_scanner;
mod harbor_user;
mod harbor_user_group;
mod installed;
mod killed;
mod log;
mod namespace;
mod namespace_changes;
mod namespace_deletion;
mod pull_secret_binding;
mod pull_secret_binding_adoption;
mod pull_secret_binding_faults;
mod pull_secret_binding_project;
mod pull_secret_binding_rotation;
mod refusals;
mod restored;
mod scale;
mod secrecy;
mod server_configuration;
mod situations;
mod steps;
mod task;
mod tenancy;
mod world;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
