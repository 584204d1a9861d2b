//! The numbers that Harbor gives to objects, a type per collection.
//!
//! Numbers change after a restore, a re-creation or a move to another Harbor. Names identify objects, numbers are hints.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }
    )*};
}

ids! {
    /// The number of a project.
    ProjectId;
    /// The number of a project's quota.
    QuotaId;
    /// The number of a membership in a project.
    MemberId;
    /// The number of a registry endpoint. 0 is the local Harbor.
    RegistryId;
    /// The number of a replication policy.
    ReplicationId;
    /// The number of a retention policy.
    RetentionId;
    /// The number of an immutable tag rule.
    RuleId;
    /// The number of a webhook policy.
    WebhookId;
    /// The number of a label.
    LabelId;
    /// The number of a robot account.
    RobotId;
    /// The number of a user. 1 is the built-in administrator.
    UserId;
    /// The number of a user group.
    GroupId;
    /// The number of one run of a job: a replication, a retention, a garbage collection or a purge.
    ExecutionId;
    /// The number of a task of an execution.
    TaskId;
    /// The number of a preheat provider instance.
    InstanceId;
    /// The number of a preheat policy.
    PreheatPolicyId;
}
