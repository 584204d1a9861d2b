//! The version of Harbor that a server imitates, and what changed with which version.

use std::{fmt, str::FromStr};

/// A released version of Harbor 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    minor: u8,
    patch: u8,
}

/// A text is not a version of Harbor 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a version of Harbor 2, such as 2.15.2")]
pub struct VersionError(String);

impl Version {
    /// The version `2.minor.patch`.
    pub const fn new(minor: u8, patch: u8) -> Self {
        Self { minor, patch }
    }

    /// The second number.
    pub const fn minor(self) -> u8 {
        self.minor
    }

    /// Whether this version behaves as it does since the change.
    pub(crate) fn has(self, change: Change) -> bool {
        self >= change.first()
    }

    /// Whether credentials of scanners and preheat instances are write-only. The fix went to two branches.
    pub(crate) fn hides_credentials(self) -> bool {
        match self.minor {
            0..14 => false,
            14 => self.patch >= 4,
            15 => self.patch >= 1,
            _ => true,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2.{}.{}", self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let parse = || {
            let (minor, patch) =
                text.strip_prefix('v').unwrap_or(text).strip_prefix("2.")?.split_once('.')?;
            Some(Self::new(minor.parse().ok()?, patch.parse().ok()?))
        };
        parse().ok_or_else(|| VersionError(text.to_owned()))
    }
}

/// Something that Harbor does since a certain version.
///
/// The versions come from the specification of the management API. Where neither it nor a recording tells the exact
/// version, the first one is assumed after the recorded version that does otherwise; those entries say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The administrator learns that a project name does not exist (404 instead of 403). Assumed.
    TellsMissingProjects,
    /// Cron texts have six fields, the first of which is 0. Assumed.
    ChecksCron,
    /// Answers show when a schedule fires next, and a schedule can have the type `Schedule`. Assumed.
    ShowsNextRun,
    /// Secrets and passwords have at most 128 characters. Assumed.
    LimitsSecrets,
    /// Severities are known in capitals, too. Assumed.
    ReadsSeverityInCapitals,
    /// The count of users leaves out the administrator. Assumed.
    CountsUsersWithoutAdmin,
    /// `POST /service/token` counts as no modification in read-only mode. Assumed.
    ExemptsTokenFromReadOnly,
    /// Purging of audit logs, stopping of garbage collections, the system's own clean-up schedule.
    PurgesAudit,
    /// Replication can copy by chunk.
    CopiesByChunk,
    /// Webhooks are executions, and have payload formats.
    WebhookExecutions,
    /// Chart repositories and their counts and events are gone.
    DroppedCharts,
    /// Old executions are swept. Assumed.
    SweepsExecutions,
    /// The system information has no Notary any more, and the login page can be the provider's.
    DroppedNotary,
    /// Numbers in configurations and quotas have limits.
    LimitsNumbers,
    /// Garbage collection has workers.
    GcWorkers,
    /// Reports of scans have the newer media type. Assumed.
    NewScanReports,
    /// Permissions of robots are checked against a table, system and project permissions work together.
    ChecksPermissions,
    /// User names with a comma are refused.
    RefusesCommaInUserNames,
    /// `Level=system` in a query of robots shows system robots only. Assumed.
    FiltersRobotsByLevel,
    /// Anonymous callers learn the name of the OIDC provider. Assumed.
    TellsOidcProvider,
    /// Garbage collection has up to ten workers, executions are swept once a day. Assumed.
    TenGcWorkers,
    /// Deleting a project deletes its retention policy before the answer is read. Assumed.
    DeletesRetentionWithProject,
    /// The refusal of a foreign retention id lost its prefix. Assumed.
    PlainRetentionRefusal,
    /// A job anonymizes audit logs.
    GdprJobs,
    /// The duration of a robot must not be 0, and can be left out of an update.
    NeedsRobotDuration,
    /// Scanners tell whether they make software bills of materials.
    Sbom,
    /// More permissions; a robot creates robots no wider than itself, and its creator is recorded.
    RobotsCreateRobots,
    /// Artifacts of a whole project can be listed.
    ListsArtifactsOfProjects,
    /// Anonymous callers do not learn the version.
    HidesVersion,
    /// The new audit log.
    AuditLogExt,
    /// The first API of robots is gone.
    DroppedRobotsV1,
    /// A replication policy can have at most one running execution.
    SingleActiveReplication,
    /// Registries have CA certificates.
    RegistryCertificates,
    /// Garbage collection deletes tags.
    GcDeletesTags,
    /// Blank ids in CVE allow lists are refused. Assumed.
    RefusesBlankCves,
    /// Executions of garbage collections no longer show the Redis URL.
    HidesRedisUrl,
}

impl Change {
    const fn first(self) -> Version {
        match self {
            Self::TellsMissingProjects
            | Self::ChecksCron
            | Self::ShowsNextRun
            | Self::LimitsSecrets
            | Self::ReadsSeverityInCapitals
            | Self::CountsUsersWithoutAdmin
            | Self::ExemptsTokenFromReadOnly
            | Self::PurgesAudit => Version::new(6, 0),
            Self::CopiesByChunk => Version::new(7, 0),
            Self::WebhookExecutions | Self::DroppedCharts | Self::SweepsExecutions => Version::new(8, 0),
            Self::DroppedNotary | Self::LimitsNumbers | Self::GcWorkers | Self::NewScanReports => {
                Version::new(9, 0)
            }
            Self::ChecksPermissions
            | Self::RefusesCommaInUserNames
            | Self::FiltersRobotsByLevel
            | Self::TellsOidcProvider
            | Self::TenGcWorkers
            | Self::DeletesRetentionWithProject
            | Self::PlainRetentionRefusal
            | Self::GdprJobs => Version::new(10, 0),
            Self::NeedsRobotDuration | Self::Sbom => Version::new(11, 0),
            Self::RobotsCreateRobots | Self::ListsArtifactsOfProjects => Version::new(12, 0),
            Self::HidesVersion | Self::AuditLogExt | Self::DroppedRobotsV1 => Version::new(13, 0),
            Self::SingleActiveReplication => Version::new(14, 0),
            Self::RegistryCertificates | Self::GcDeletesTags | Self::RefusesBlankCves => Version::new(15, 0),
            Self::HidesRedisUrl => Version::new(15, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Version};

    #[test]
    fn versions_are_read_as_they_are_written() {
        for text in ["2.5.6", "2.9.5", "2.15.2"] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
            assert_eq!(format!("v{text}").parse::<Version>().unwrap().to_string(), text);
        }
        for text in ["", "2", "2.15", "3.0.0", "2.15.x", "2.999.1", "2.-1.0"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }

    #[test]
    fn versions_are_ordered_by_number_rather_than_by_text() {
        assert!(Version::new(9, 5) < Version::new(15, 0));
        assert!(!Version::new(9, 5).has(Change::ChecksPermissions));
        assert!(Version::new(10, 0).has(Change::ChecksPermissions));
    }

    #[test]
    fn credentials_are_hidden_on_both_branches_that_were_fixed() {
        let hidden = [(14, 3), (14, 4), (15, 0), (15, 1), (16, 0)]
            .map(|(minor, patch)| Version::new(minor, patch).hides_credentials());
        assert_eq!(hidden, [false, true, false, true, true]);
    }
}
