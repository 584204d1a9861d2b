//! What only some versions of Harbor have.

use super::Span;

/// Something that a version of Harbor has or does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Chart repositories, which also keep a project from being deleted.
    Charts,
    /// Robot accounts of the first generation, which cannot be changed.
    LegacyRobots,
    /// A new robot with duration 0 gets the default duration; later versions refuse it.
    RobotDefaultDuration,
    /// The audit log is purged on a schedule.
    PurgeAudit,
    /// A running garbage collection can be stopped.
    StopGarbageCollection,
    /// Job queues can be listed, paused and stopped.
    JobQueues,
    /// A replication copies blobs in chunks if asked to.
    CopyByChunk,
    /// The runs of a webhook can be listed.
    WebhookExecutions,
    /// Webhooks have a payload format.
    WebhookPayloadFormat,
    /// A garbage collection has a number of workers.
    GarbageCollectionWorkers,
    /// Permissions of robots are checked against a table; before, a misspelt one is stored and grants nothing.
    CheckedRobotPermissions,
    /// A system robot may have permissions of both kinds; before, one of kind system disables those of kind project.
    MixedRobotPermissions,
    /// The table of permissions can be read.
    PermissionsEndpoint,
    /// An update of a robot may leave out the duration; before, that changes it to the default duration.
    RobotKeepsDuration,
    /// Software bills of materials.
    Sbom,
    /// Robots may create robots with a part of their own permissions.
    RobotsCreateRobots,
    /// A preheat policy has a scope field.
    PreheatScope,
    /// A preheat policy has extra attributes.
    PreheatExtraAttributes,
    /// The audit log has event types; a purge names those instead of operations.
    AuditEventTypes,
    /// `/systeminfo` hides the version from anonymous callers.
    HiddenVersion,
    /// A replication policy can refuse a second run while one is under way.
    SingleActiveReplication,
    /// `/replication/adapters` shows only the types that Core's environment allows.
    AdapterAllowList,
    /// Credentials of scanners and preheat instances are not returned, and an empty one in an update keeps the stored.
    HiddenCredentials,
    /// A registry endpoint has a CA certificate of its own.
    RegistryCaCertificate,
    /// A garbage collection can delete tags, too.
    GarbageCollectionTags,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::Charts,
        Self::LegacyRobots,
        Self::RobotDefaultDuration,
        Self::PurgeAudit,
        Self::StopGarbageCollection,
        Self::JobQueues,
        Self::CopyByChunk,
        Self::WebhookExecutions,
        Self::WebhookPayloadFormat,
        Self::GarbageCollectionWorkers,
        Self::CheckedRobotPermissions,
        Self::MixedRobotPermissions,
        Self::PermissionsEndpoint,
        Self::RobotKeepsDuration,
        Self::Sbom,
        Self::RobotsCreateRobots,
        Self::PreheatScope,
        Self::PreheatExtraAttributes,
        Self::AuditEventTypes,
        Self::HiddenVersion,
        Self::SingleActiveReplication,
        Self::AdapterAllowList,
        Self::HiddenCredentials,
        Self::RegistryCaCertificate,
        Self::GarbageCollectionTags,
    ];

    /// The versions that have it.
    pub const fn spans(self) -> &'static [Span] {
        match self {
            Self::Charts => const { &[Span::before(8)] },
            Self::RobotDefaultDuration => const { &[Span::before(11)] },
            Self::LegacyRobots => const { &[Span::before(13)] },
            Self::PurgeAudit | Self::StopGarbageCollection => const { &[Span::since(6, 0)] },
            Self::JobQueues | Self::CopyByChunk => const { &[Span::since(7, 0)] },
            Self::WebhookExecutions | Self::WebhookPayloadFormat => const { &[Span::since(8, 0)] },
            Self::GarbageCollectionWorkers => const { &[Span::since(9, 0)] },
            Self::CheckedRobotPermissions | Self::MixedRobotPermissions | Self::PermissionsEndpoint => {
                const { &[Span::since(10, 0)] }
            }
            Self::RobotKeepsDuration | Self::Sbom => const { &[Span::since(11, 0)] },
            Self::RobotsCreateRobots => const { &[Span::since(12, 0)] },
            Self::PreheatScope => const { &[Span::since(12, 0).and_before(13)] },
            Self::PreheatExtraAttributes | Self::AuditEventTypes | Self::HiddenVersion => {
                const { &[Span::since(13, 0)] }
            }
            Self::SingleActiveReplication | Self::AdapterAllowList => const { &[Span::since(14, 0)] },
            Self::HiddenCredentials => const { &[Span::since(14, 4).and_before(15), Span::since(15, 1)] },
            Self::RegistryCaCertificate | Self::GarbageCollectionTags => const { &[Span::since(15, 0)] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Feature;
    use crate::version::Version;

    fn names(version: Version) -> Vec<Feature> {
        Feature::ALL.into_iter().filter(|feature| version.has(*feature)).collect()
    }

    #[test]
    fn the_oldest_version_has_only_what_was_removed_later() {
        let expected = [Feature::Charts, Feature::LegacyRobots, Feature::RobotDefaultDuration];
        assert_eq!(names(Version::new(2, 5, 6)), expected);
    }

    #[test]
    fn the_newest_version_lacks_only_what_was_removed() {
        let lacking = Feature::ALL.into_iter().filter(|feature| !Version::new(2, 15, 2).has(*feature));
        let expected =
            [Feature::Charts, Feature::LegacyRobots, Feature::RobotDefaultDuration, Feature::PreheatScope];
        assert_eq!(lacking.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_backported_fix_is_in_two_ranges() {
        let versions = [(14, 3), (14, 4), (14, 9), (15, 0), (15, 1)];
        let have =
            versions.map(|(minor, patch)| Version::new(2, minor, patch).has(Feature::HiddenCredentials));
        assert_eq!(have, [false, true, true, false, true]);
    }
}
