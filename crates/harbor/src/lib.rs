//! A typed client of Harbor's management API (`/api/v2.0`), for Harbor 2.5 to 2.15.
//!
//! [`Harbor`] is a client of one server; clones share its connections, limits, credentials and what is known about the
//! server. Each collection of the API has a handle:
//!
//! ```no_run
//! # async fn example(harbor: harbor::Harbor) -> Result<(), harbor::Error> {
//! use harbor::projects::NewProject;
//!
//! let harbor = harbor.with_request_id("HarborProject/team-a/app@3");
//! if harbor.projects().find("app").await?.is_none() {
//!     harbor.projects().create(&NewProject::named("app")).await?;
//! }
//! let members = harbor.project("app").members().list().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Guarantees:
//! - No cookies, no redirects, no proxy from the environment. A server is trusted as [`Trust`] says.
//! - At most four requests at once and twenty per second to one Harbor; every request has a time limit and every answer
//!   a size limit ([`Limits`]).
//! - A read is repeated if it meets a passing failure. A write is sent once: after an error, read the object to see whether it took effect.
//! - Credentials that Harbor rejects are not sent again for a while, until they change.
//! - To Harbor, an account with a wrong password is a visitor, who sees public projects only. So an object counts as missing,
//!   and a list of projects as whole, only after Harbor has accepted the credentials.
//! - Errors ([`Error`]) have a failure mode, a class and a remedy. Neither they nor `Debug` output show a secret.
//!
//! Types have the fields of the API description. Harbor leaves out zeros, empty lists and `false`, so an absent field is
//! read as such; unknown fields are ignored. Where Harbor returns something else than was sent, the type has a
//! function that compares the two without false differences.

mod client;
mod error;
mod health;
mod ids;
mod resources;
mod secret;
mod session;
#[cfg(test)]
mod tests;
mod time;
pub mod version;
mod words;

pub use client::{Address, AddressError, Credentials, Deletion, Harbor, Limits, Trust, TrustError};
pub use error::{CallName, Class, Dependency, Error, Failure, Message, Unreachable};
pub use ids::{
    ExecutionId, GroupId, InstanceId, LabelId, MemberId, PreheatPolicyId, ProjectId, QuotaId, RegistryId,
    ReplicationId, RetentionId, RobotId, RuleId, TaskId, UserId, WebhookId,
};
pub use resources::{
    allowlists, audit, authentication, clients, configurations, garbage_collection, immutable_rules, jobs,
    labels, members, preheat, projects, purge, quotas, registries, replication, repositories, retention,
    robots, scan_all, scanners, schedules, selectors, system, user_groups, users, webhooks,
};
pub use secret::Secret;
pub use session::{ServerInfo, Settings};
pub use version::{Feature, Version};
