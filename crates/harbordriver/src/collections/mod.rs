//! The collections, one file each, and what several of them share.

pub(crate) mod allowlists;
pub(crate) mod configurations;
pub(crate) mod executions;
pub(crate) mod immutable_rules;
pub(crate) mod labels;
pub(crate) mod members;
pub(crate) mod membership;
pub(crate) mod memberships;
pub(crate) mod metadata;
pub(crate) mod numbered_robots;
pub(crate) mod preheat_instances;
pub(crate) mod preheat_policies;
pub(crate) mod project_scanners;
pub(crate) mod projects;
pub(crate) mod registries;
pub(crate) mod replications;
pub(crate) mod retentions;
pub(crate) mod robots;
pub(crate) mod scanners;
pub(crate) mod schedules;
pub(crate) mod selectors;
pub(crate) mod servers;
pub(crate) mod singletons;
pub(crate) mod user_groups;
pub(crate) mod users;
pub(crate) mod webhooks;
