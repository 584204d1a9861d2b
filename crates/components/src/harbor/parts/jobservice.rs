//! JobService.

use super::{
    super::{credentials::Credentials, databases::RedisDatabase, part::Part, validated::Validated},
    registry_access,
};
use crate::{pods::scratch_volume, versions::Feature};
use api::v1beta1::{
    self, JobServiceSpec,
    core::CacheLayerSpec,
    duration::GoDuration,
    installation::{
        HarborLogLevel,
        components::{HarborJobServiceSpec, HarborJobServiceStorageSpec, JobLoggerKind},
    },
    jobservice::{
        JobServiceCacheLayerSpec, JobServiceCoreSpec, JobServiceStorageSpec, LoggersSpec, WorkerPoolBackend,
        WorkerPoolSpec,
        loggers::{DatabaseLoggerSpec, FileLoggerSpec, JobServiceLogLevel, StdoutLoggerSpec},
    },
    redis::JobServiceRedisPool,
    registry_access::TokenServiceAccess,
    volume::{PersistentVolumeSpec, ScratchVolumeSpec, VolumeSource},
};
use k8s_openapi::api::core::v1::{PersistentVolumeClaimVolumeSource, Volume};

/// How many days the logs of jobs are kept by default.
const DEFAULT_DAYS: i32 = 14;

/// JobService. It starts after Core, from which it requests settings.
pub(in super::super) fn jobservice(harbor: &Validated<'_>, credentials: &Credentials) -> v1beta1::JobService {
    let installation = harbor.installation;
    let HarborJobServiceSpec {
        component,
        certificates,
        worker_count,
        // In `credentials`.
        secret_ref: _,
        job_loggers,
        logger_sweeper_days,
        storage,
        metrics,
        settings,
    } = installation.jobservice.clone().unwrap_or_default();
    let HarborJobServiceStorageSpec { scan_data_exports_persistent_volume, job_logs_persistent_volume } =
        storage.unwrap_or_default();
    let job_logs = JobLogs {
        level: level(installation.log_level),
        loggers: job_loggers,
        days: logger_sweeper_days.unwrap_or(DEFAULT_DAYS),
        volume: job_logs_persistent_volume,
    };
    let level = level(installation.log_level);
    let spec = JobServiceSpec {
        component: harbor.pods(Part::JobService, Some(&component)),
        certificates: harbor.authorities(Some(&certificates)),
        core: JobServiceCoreSpec {
            url: harbor.url_with_port(Part::Core),
            secret_ref: credentials.core.name(),
        },
        registry: registry_access(harbor, credentials, harbor.url_with_port(Part::RegistryController)),
        token_service: TokenServiceAccess { url: harbor.token_service_url() },
        secret_ref: credentials.jobservice.name(),
        worker_pool: WorkerPoolSpec {
            workers: worker_count,
            backend: WorkerPoolBackend::default(),
            redis_pool: Some(queue(harbor)),
        },
        job_loggers: job_logs.into(),
        loggers: LoggersSpec { files: None, database: None, stdout: Some(StdoutLoggerSpec { level }) },
        storage: Some(JobServiceStorageSpec {
            scan_data_exports: exports(harbor, scan_data_exports_persistent_volume.as_ref()),
        }),
        metrics,
        trace: installation.trace.clone(),
        proxy: harbor.proxy(Part::JobService),
        tls: harbor.tls(Part::JobService),
        network: installation.network.clone(),
        update_strategy_type: installation.update_strategy_type.clone(),
        cache_layer: cache_layer(harbor),
        settings,
    };
    v1beta1::JobService { metadata: harbor.component_metadata(), spec, status: None }
}

/// The queue of jobs. JobService derives its namespace from its own name.
pub(super) fn queue(harbor: &Validated<'_>) -> JobServiceRedisPool {
    JobServiceRedisPool {
        connection: harbor.redis(RedisDatabase::JobService),
        namespace: None,
        idle_timeout: GoDuration::from("30s"),
    }
}

/// What the loggers of jobs are made from.
struct JobLogs {
    level: JobServiceLogLevel,
    loggers: Vec<JobLoggerKind>,
    days: i32,
    volume: Option<PersistentVolumeSpec>,
}

impl From<JobLogs> for LoggersSpec {
    fn from(JobLogs { level, loggers, days, volume }: JobLogs) -> Self {
        let sweeper = || Some(GoDuration::from(format!("{}h", days * 24)));
        let chosen = |kind| loggers.contains(&kind);
        let file = loggers.is_empty() || chosen(JobLoggerKind::File);
        let (volume, prefix) = volume.as_ref().map(claim).unzip();
        Self {
            files: file.then(|| {
                vec![FileLoggerSpec { level, sweeper: sweeper(), volume, prefix: prefix.flatten() }]
            }),
            database: chosen(JobLoggerKind::Database)
                .then(|| DatabaseLoggerSpec { level, sweeper: sweeper() }),
            stdout: chosen(JobLoggerKind::Stdout).then_some(StdoutLoggerSpec { level }),
        }
    }
}

fn exports(harbor: &Validated<'_>, volume: Option<&PersistentVolumeSpec>) -> ScratchVolumeSpec {
    if harbor.version.is_past(Feature::ScanDataExportVolume) {
        return ScratchVolumeSpec::default();
    }
    claim_or_scratch(volume)
}

/// The volume of the claim that the user names, otherwise an empty directory without a limit: the default limit
/// of the component is too small for the databases of Trivy, and the operator's predecessor set none.
pub(super) fn claim_or_scratch(volume: Option<&PersistentVolumeSpec>) -> ScratchVolumeSpec {
    match volume {
        Some(volume) => {
            let (volume_source, prefix) = claim(volume);
            ScratchVolumeSpec { volume_source, prefix }
        }
        None => ScratchVolumeSpec { volume_source: scratch_volume("").into(), prefix: None },
    }
}

/// The volume of the claim that the user names, and the directory in it.
pub(super) fn claim(volume: &PersistentVolumeSpec) -> (VolumeSource, Option<String>) {
    // The Harbor creates the claim, see `super::super::claims`.
    let PersistentVolumeSpec { claim_name, read_only, prefix, create: _ } = volume;
    let claim = PersistentVolumeClaimVolumeSource { claim_name: claim_name.clone(), read_only: *read_only };
    let volume = Volume { persistent_volume_claim: Some(claim), ..Volume::default() };
    (volume.into(), prefix.clone())
}

fn cache_layer(harbor: &Validated<'_>) -> Option<JobServiceCacheLayerSpec> {
    let CacheLayerSpec { enabled, expire_hours, database } = harbor.installation.cache_layer.clone()?;
    let redis = harbor.redis(RedisDatabase::Core);
    enabled.then_some(JobServiceCacheLayerSpec { redis, expire_hours, database })
}

const fn level(level: HarborLogLevel) -> JobServiceLogLevel {
    match level {
        HarborLogLevel::Debug => JobServiceLogLevel::Debug,
        HarborLogLevel::Info => JobServiceLogLevel::Info,
        HarborLogLevel::Warning => JobServiceLogLevel::Warning,
        HarborLogLevel::Error => JobServiceLogLevel::Error,
        HarborLogLevel::Fatal => JobServiceLogLevel::Fatal,
    }
}
