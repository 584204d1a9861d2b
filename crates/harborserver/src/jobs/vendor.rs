//! What jobs are for.

/// What a job is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vendor {
    GarbageCollection,
    PurgeAudit,
    ScanAll,
    ImageScan,
    Replication,
    Retention,
    Webhook,
    Slack,
    SystemArtifactCleanup,
    ExecutionSweep,
}

impl Vendor {
    pub const fn name(self) -> &'static str {
        match self {
            Self::GarbageCollection => "GARBAGE_COLLECTION",
            Self::PurgeAudit => "PURGE_AUDIT_LOG",
            Self::ScanAll => "SCAN_ALL",
            Self::ImageScan => "IMAGE_SCAN",
            Self::Replication => "REPLICATION",
            Self::Retention => "RETENTION",
            Self::Webhook => "WEBHOOK",
            Self::Slack => "SLACK",
            Self::SystemArtifactCleanup => "SYSTEM_ARTIFACT_CLEANUP",
            Self::ExecutionSweep => "EXECUTION_SWEEP",
        }
    }

    /// The queue in which the jobs wait.
    pub const fn job_type(self) -> &'static str {
        match self {
            Self::ScanAll => "IMAGE_SCAN",
            other => other.name(),
        }
    }
}
