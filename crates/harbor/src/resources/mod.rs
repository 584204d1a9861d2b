//! The collections of the API: a file per collection, with its types, its calls and its comparisons.
//!
//! Uses: client, error, version.

pub mod allowlists;
pub mod audit;
pub mod authentication;
pub mod clients;
pub mod configurations;
pub mod garbage_collection;
pub mod immutable_rules;
mod in_project;
pub mod jobs;
pub mod labels;
pub mod members;
pub mod preheat;
pub mod projects;
pub mod purge;
pub mod quotas;
pub mod registries;
pub mod replication;
pub mod repositories;
pub mod retention;
pub mod robots;
pub mod scan_all;
pub mod scanners;
pub mod schedules;
pub mod selectors;
pub mod system;
pub mod user_groups;
pub mod users;
pub mod webhooks;

/// Serde asks whether a field may be left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
