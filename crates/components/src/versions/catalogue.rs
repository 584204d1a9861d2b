//! The features of each version of Harbor: the only table of differences between versions.

use super::version::{HarborVersion, Minor};
use plan::PlanError;
use std::fmt;

/// A feature that some supported versions of Harbor lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    /// ChartMuseum, Core's settings for it, and its Redis database 3.
    ChartMuseum,
    /// Notary, Core's settings for it, and its databases `notaryserver` and `notarysigner`.
    Notary,
    /// The proxy cache of Quay.
    QuayProxyCache,
    /// `SYNC_QUOTA`.
    SyncQuota,
    /// The volume for exported scan results; later versions keep them in the registry.
    ScanDataExportVolume,
    /// Queues of JobService that can be paused.
    JobQueues,
    /// `CACHE_ENABLED`.
    CacheLayer,
    /// `GDPR_DELETE_USER`.
    GdprDeleteUser,
    /// `POSTGRESQL_CONN_MAX_LIFETIME` and `POSTGRESQL_CONN_MAX_IDLE_TIME`.
    ConnectionLifetime,
    /// `REGISTRY_HTTP_CLIENT_TIMEOUT`.
    RegistryHttpTimeout,
    /// The proxy cache of JFrog Artifactory.
    JfrogProxyCache,
    /// `SCANNER_TRIVY_SECURITY_CHECKS`.
    TrivySecurityChecks,
    /// The API browser under `/devcenter-api-2.0`.
    ApiBrowser,
    /// The reaper, which ends jobs that make no progress.
    JobReaper,
    /// `JOBSERVICE_WEBHOOK_JOB_HTTP_CLIENT_TIMEOUT`.
    WebhookTimeout,
    /// User names in the URLs of Redis.
    RedisUser,
    /// TLS 1.3 of the web servers.
    Tls13,
    /// `QUOTA_UPDATE_PROVIDER`.
    QuotaProvider,
    /// Separate Redis databases for the cache layer and for Harbor's business data.
    SeparateRedisDatabases,
    /// `GDPR_AUDIT_LOGS`.
    GdprAuditLogs,
    /// `SCANNER_TRIVY_SKIP_JAVA_DB_UPDATE`.
    TrivyJavaDatabase,
    /// At `debug`, Trivy's adapter prints the URL of Redis.
    TrivyPrintsRedisUrl,
    /// `SCANNER_TRIVY_DB_REPOSITORY` and `SCANNER_TRIVY_JAVA_DB_REPOSITORY`.
    TrivyDatabaseMirrors,
    /// The proxy cache of Alibaba's registry.
    AliAcrProxyCache,
    /// TLS towards Redis.
    RedisTls,
    /// `SKIP_LOG_AUDIT_DATABASE`. Harbor 2.14.0 defines the setting and does not read it from the environment;
    /// 2.14.1 does.
    SkipAuditLogDatabase,
    /// `REPLICATION_ADAPTER_WHITELIST`.
    ReplicationAdapters,
    /// User names of Redis in the registry's configuration.
    RegistryRedisUser,
    /// User names in the URLs of sentinels that JobService and the exporter read.
    SentinelQueueUser,
    /// User names in the URLs of sentinels that Trivy reads.
    TrivySentinelUser,
}

/// The first version that has a feature, the first version that no longer has it, and its name in a message.
struct Row(Minor, Option<Minor>, &'static str);

const BEGINNING: Minor = HarborVersion::OLDEST;

impl Feature {
    const fn row(self) -> Row {
        match self {
            Self::ChartMuseum => Row(BEGINNING, Some((2, 8)), "ChartMuseum"),
            Self::Notary => Row(BEGINNING, Some((2, 9)), "Notary"),
            Self::QuayProxyCache => Row(BEGINNING, Some((2, 14)), "a proxy cache of Quay"),
            Self::SyncQuota => Row(BEGINNING, Some((2, 15)), "quota synchronisation at start"),
            Self::ScanDataExportVolume => Row((2, 6), Some((2, 8)), "volume of exported scan results"),
            Self::CacheLayer => Row((2, 6), None, "a cache layer"),
            Self::GdprDeleteUser => Row((2, 6), None, "anonymous deletion of users"),
            Self::ConnectionLifetime => Row((2, 7), None, "limits to the life of database connections"),
            Self::JobQueues => Row((2, 7), None, "queues of jobs that can be paused"),
            Self::RegistryHttpTimeout => Row((2, 7), None, "a timeout of requests to registries"),
            Self::JfrogProxyCache => Row((2, 7), None, "a proxy cache of JFrog Artifactory"),
            Self::TrivySecurityChecks => Row((2, 7), None, "a choice of security checks"),
            Self::ApiBrowser => Row((2, 7), None, "an API browser"),
            Self::JobReaper => Row((2, 8), None, "a reaper of jobs"),
            Self::WebhookTimeout => Row((2, 8), None, "a timeout of webhooks"),
            Self::RedisUser => Row((2, 8), None, "names of Redis users"),
            Self::Tls13 => Row((2, 9), None, "TLS 1.3"),
            Self::QuotaProvider => Row((2, 9), None, "a choice of quota provider"),
            Self::SeparateRedisDatabases => Row((2, 9), None, "separate Redis databases for Core"),
            Self::GdprAuditLogs => Row((2, 10), None, "anonymous audit logs"),
            Self::TrivyJavaDatabase => Row((2, 11), None, "a choice about the database of Java packages"),
            Self::TrivyPrintsRedisUrl => Row((2, 10), None, "URLs of Redis in the log of Trivy"),
            Self::TrivyDatabaseMirrors => Row((2, 12), None, "mirrors of Trivy's databases"),
            Self::AliAcrProxyCache => Row((2, 12), None, "a proxy cache of Alibaba's registry"),
            Self::RedisTls => Row((2, 13), None, "TLS towards Redis"),
            Self::SkipAuditLogDatabase => {
                Row((2, 14), None, "a setting to keep the audit log out of the database")
            }
            Self::ReplicationAdapters => Row((2, 14), None, "a list of replication adapters"),
            Self::RegistryRedisUser => Row((2, 15), None, "names of Redis users in the registry"),
            Self::SentinelQueueUser => {
                Row((2, 15), None, "names of Redis users for a queue behind sentinels")
            }
            Self::TrivySentinelUser => Row((2, 15), None, "names of Redis users behind Sentinel in Trivy"),
        }
    }
}

impl HarborVersion {
    /// Whether this version has the feature.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        let Row(since, ended, _) = feature.row();
        self.minor() >= since && ended.is_none_or(|ended| self.minor() < ended)
    }

    /// Whether an earlier version was the last with the feature.
    pub(crate) fn is_past(&self, feature: Feature) -> bool {
        let Row(_, ended, _) = feature.row();
        ended.is_some_and(|ended| self.minor() >= ended)
    }

    /// Refuses a feature that this version lacks, and names the version that introduced or removed it. `field`
    /// is the field that needs the feature.
    pub(crate) fn require(&self, feature: Feature, field: impl fmt::Display) -> Result<(), PlanError> {
        if self.has(feature) {
            return Ok(());
        }
        let Row(since, ended, name) = feature.row();
        let (problem, remedy) = match ended {
            Some((major, minor)) if self.minor() >= since => (
                format!("Harbor {self} has no {name}: it ended with Harbor {major}.{minor}"),
                format!("remove {field}, or stay below Harbor {major}.{minor}"),
            ),
            _ => {
                let (major, minor) = since;
                (
                    format!("Harbor {self} does not know {name}: it began with Harbor {major}.{minor}"),
                    format!("upgrade to Harbor {major}.{minor} or newer, or remove {field}"),
                )
            }
        };
        Err(PlanError::invalid(field, problem, remedy))
    }

    /// Refuses a value for a feature that was removed before this version. It may be set before the feature is
    /// introduced.
    pub(crate) fn not_past<T>(
        &self,
        feature: Feature,
        field: impl fmt::Display,
        value: Option<T>,
    ) -> Result<(), PlanError> {
        if self.is_past(feature) { self.known(feature, field, value).map(drop) } else { Ok(()) }
    }

    /// The value, if this version has the feature; an error if it does not. `None` needs no feature.
    pub(crate) fn known<T>(
        &self,
        feature: Feature,
        field: impl fmt::Display,
        value: Option<T>,
    ) -> Result<Option<T>, PlanError> {
        match &value {
            Some(_) => self.require(feature, field).map(|()| value),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harbor(version: &str) -> HarborVersion {
        HarborVersion::parse(version).unwrap()
    }

    #[test]
    fn what_ended_is_refused_with_the_version_where_it_did() {
        assert_eq!(harbor("2.7.4").require(Feature::ChartMuseum, "spec.chartmuseum"), Ok(()));
        let error = harbor("2.8.0").require(Feature::ChartMuseum, "spec.chartmuseum").unwrap_err();
        assert_eq!(
            error.to_string(),
            "spec.chartmuseum: Harbor 2.8.0 has no ChartMuseum: it ended with Harbor 2.8; \
             remove spec.chartmuseum, or stay below Harbor 2.8"
        );
    }

    #[test]
    fn what_has_not_begun_is_refused_with_the_version_where_it_does() {
        assert_eq!(harbor("2.13.0").require(Feature::RedisTls, "spec.redis.certificateRef"), Ok(()));
        let error = harbor("2.12.4").require(Feature::RedisTls, "spec.redis.certificateRef").unwrap_err();
        assert_eq!(
            error.to_string(),
            "spec.redis.certificateRef: Harbor 2.12.4 does not know TLS towards Redis: it began with Harbor 2.13; \
             upgrade to Harbor 2.13 or newer, or remove spec.redis.certificateRef"
        );
    }

    #[test]
    fn something_that_began_and_ended_is_there_in_between() {
        let has = |version| harbor(version).has(Feature::ScanDataExportVolume);
        assert_eq!(["2.5.0", "2.6.0", "2.7.3", "2.8.0"].map(has), [false, true, true, false]);
    }
}
