//! The objects inside a Harbor, in the form in which desired and actual state are compared.
//!
//! There is a module per collection, with the type of its objects, the name of the collection and a function
//! that names an object. Components describe desired state with these types; the driver in `harbordriver`
//! describes actual state with the same types, so that the two are equal when they mean the same:
//!
//! - Names stand for objects, never numbers: numbers change when a Harbor is restored from a backup. Only
//!   [`numbered_robot`] finds a name by number, for objects of the old operator.
//! - Sets are sorted, flags are booleans, texts that contain JSON are parsed.
//! - A desired field that is `None` is left to others. Actual state has all fields; what Harbor leaves out is
//!   filled in.
//! - Passwords and secrets are in no type. They are write-only fields of [`plan::External`], under the names
//!   that [`State::WRITE_ONLY`] lists.
//!
//! Actual state is [`Found`]: the state and the facts that Harbor adds, such as the number of repositories of
//! a project.
//!
//! ```
//! use harborstate::{State as _, project::Project};
//!
//! # fn main() -> serde_json::Result<()> {
//! let harbor = harborstate::system("registry", "acme");
//! let alpha = Project { storage_quota: Some(1 << 30), ..Project::default() };
//! let external = alpha.external(&harbor, "alpha")?;
//! assert_eq!(external.value, serde_json::json!({"storage_quota": 1 << 30}));
//! # Ok(()) }
//! ```

pub mod access;
pub mod admin_password;
pub mod configuration;
pub mod cve_allowlist;
pub mod execution;
pub mod health;
pub mod immutable_rules;
pub mod job_queues;
pub mod label;
pub mod member;
pub mod members;
mod names;
pub mod numbered_robot;
pub mod preheat_instance;
pub mod preheat_policy;
pub mod project;
pub mod project_scanner;
pub mod registry;
pub mod replication;
pub mod retention;
pub mod robot;
pub mod scanner;
pub mod schedule;
pub mod selectors;
pub mod server;
mod state;
pub mod user;
pub mod user_group;
pub mod verification;
pub mod webhook;

pub use access::{Access, Trust};
pub use names::{in_project, part, split};
pub use state::{Found, NoFacts, State};

use plan::System;

/// The kind of system that a Harbor is, see [`System::kind`].
pub const KIND: &str = "harbor";

/// The Harbor that an object of this name stands for.
pub fn system(namespace: &str, name: &str) -> System {
    System::new(KIND, namespace, name)
}

/// Before the name of a Core that belongs to no Harbor. No object has such a name.
const CORE: &str = "core/";

/// The Harbor of a Core that belongs to no object of kind Harbor.
pub fn system_of_core(namespace: &str, core: &str) -> System {
    System::new(KIND, namespace, &format!("{CORE}{core}"))
}

/// The name of the Core, if [`system_of_core`] named this system.
pub fn core_of(system: &System) -> Option<&str> {
    system.name.strip_prefix(CORE)
}
