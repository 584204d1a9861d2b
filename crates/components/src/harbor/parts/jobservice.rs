//! JobService.

use super::{
    super::{credentials::Credentials, databases::RedisDatabase, part::Part, validated::Validated},
    registry_access,
};
use crate::{pods::scratch_volume, versions::Feature};
use api::v1beta1::{
    self, JobServiceSpec,
    duration::GoDuration,
    installation::{
        HarborLogLevel,
        components::{HarborJobServiceSpec, JobLoggerKind},
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
    let requested = installation.jobservice.clone().unwrap_or_default();
    let level = level(installation.log_level);
    let spec = JobServiceSpec {
        component: harbor.pods(Part::JobService, Some(&requested.component)),
        certificates: harbor.authorities(Some(&requested.certificates)),
        core: JobServiceCoreSpec {
            url: harbor.url_with_port(Part::Core),
            secret_ref: credentials.core.name(),
        },
        registry: registry_access(harbor, credentials, harbor.url_with_port(Part::RegistryController)),
        token_service: TokenServiceAccess { url: harbor.token_service_url() },
        secret_ref: credentials.jobservice.name(),
        worker_pool: WorkerPoolSpec {
            workers: requested.worker_count,
            backend: WorkerPoolBackend::default(),
            redis_pool: Some(queue(harbor)),
        },
        job_loggers: job_loggers(&requested, level),
        loggers: LoggersSpec { files: None, database: None, stdout: Some(StdoutLoggerSpec { level }) },
        storage: Some(JobServiceStorageSpec { scan_data_exports: exports(harbor, &requested) }),
        metrics: requested.metrics,
        trace: installation.trace.clone(),
        proxy: harbor.proxy(Part::JobService),
        tls: harbor.tls(Part::JobService),
        network: installation.network.clone(),
        update_strategy_type: installation.update_strategy_type.clone(),
        cache_layer: cache_layer(harbor),
        settings: requested.settings,
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

fn job_loggers(requested: &HarborJobServiceSpec, level: JobServiceLogLevel) -> LoggersSpec {
    let days = requested.logger_sweeper_days.unwrap_or(DEFAULT_DAYS);
    let sweeper = || Some(GoDuration::from(format!("{}h", days * 24)));
    let volume = requested.storage.as_ref().and_then(|storage| storage.job_logs_persistent_volume.as_ref());
    let chosen = |kind| requested.job_loggers.contains(&kind);
    let file = requested.job_loggers.is_empty() || chosen(JobLoggerKind::File);
    LoggersSpec {
        files: file.then(|| {
            vec![FileLoggerSpec {
                level,
                sweeper: sweeper(),
                volume: volume.map(claim),
                prefix: volume.and_then(|volume| volume.prefix.clone()),
            }]
        }),
        database: chosen(JobLoggerKind::Database).then(|| DatabaseLoggerSpec { level, sweeper: sweeper() }),
        stdout: chosen(JobLoggerKind::Stdout).then_some(StdoutLoggerSpec { level }),
    }
}

fn exports(harbor: &Validated<'_>, requested: &HarborJobServiceSpec) -> ScratchVolumeSpec {
    if harbor.version.is_past(Feature::ScanDataExportVolume) {
        return ScratchVolumeSpec::default();
    }
    let storage = requested.storage.as_ref();
    claim_or_scratch(storage.and_then(|storage| storage.scan_data_exports_persistent_volume.as_ref()))
}

/// The volume of the claim that the user names, otherwise an empty directory without a limit: the default limit
/// of the component is too small for the databases of Trivy, and the operator's predecessor set none.
pub(super) fn claim_or_scratch(volume: Option<&PersistentVolumeSpec>) -> ScratchVolumeSpec {
    match volume {
        Some(volume) => ScratchVolumeSpec { volume_source: claim(volume), prefix: volume.prefix.clone() },
        None => ScratchVolumeSpec { volume_source: scratch_volume("").into(), prefix: None },
    }
}

/// The volume of the claim that the user names.
pub(super) fn claim(volume: &PersistentVolumeSpec) -> VolumeSource {
    let claim = PersistentVolumeClaimVolumeSource {
        claim_name: volume.claim_name.clone(),
        read_only: volume.read_only,
    };
    Volume { persistent_volume_claim: Some(claim), ..Volume::default() }.into()
}

fn cache_layer(harbor: &Validated<'_>) -> Option<JobServiceCacheLayerSpec> {
    let layer = harbor.installation.cache_layer.as_ref().filter(|layer| layer.enabled)?;
    Some(JobServiceCacheLayerSpec {
        redis: harbor.redis(RedisDatabase::Core),
        expire_hours: layer.expire_hours,
        database: layer.database,
    })
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
