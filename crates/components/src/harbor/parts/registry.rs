//! The registry and its controller.

use super::{
    super::{credentials::Credentials, databases::RedisDatabase, part::Part, validated::Validated},
    storage,
};
use api::v1beta1::{
    self, GoDuration, RegistryControllerSpec, RegistrySpec,
    harbor::HarborStorageSpec,
    installation::{HarborLogLevel, components::HarborRegistrySpec},
    metrics::MetricsSpec,
    registry::{
        RegistryMiddlewaresSpec, RegistryRedisPoolSpec, RegistryRedisSpec, RegistryValidationSpec,
        auth::{RegistryAuthenticationSpec, RegistryHtPasswdSpec},
        health::{RegistryHealthSpec, RegistryStorageCheckSpec},
        http::{RegistryHttpDebugSpec, RegistryHttpSpec, RegistryPrometheusSpec},
        log::{RegistryAccessLogSpec, RegistryLogLevel, RegistryLogSpec},
        storage::{
            BlobDescriptorCache, RegistryMaintenanceSpec, RegistryStorageCacheSpec,
            RegistryStorageDeleteSpec, RegistryStorageSpec, RegistryUploadPurgingSpec,
        },
    },
    registrycontroller::{
        RegistryControllerAuthenticationSpec, RegistryControllerLogLevel, RegistryControllerLogSpec,
    },
};

/// The registry.
pub(in super::super) fn registry(harbor: &Validated<'_>, credentials: &Credentials) -> v1beta1::Registry {
    let installation = harbor.installation;
    let HarborRegistrySpec {
        component,
        certificates,
        relative_urls,
        storage_middlewares,
        // In `credentials`.
        http_secret_ref: _,
        credentials_ref: _,
        upload_purging,
        metrics,
    } = installation.registry.clone().unwrap_or_default();
    let spec = RegistrySpec {
        component: harbor.pods(Part::Registry, Some(&component)),
        certificates: harbor.authorities(Some(&certificates)),
        storage: storage(harbor, upload_purging),
        log: RegistryLogSpec {
            level: level(installation.log_level),
            access_log: Some(RegistryAccessLogSpec { disabled: false }),
            ..RegistryLogSpec::default()
        },
        http: Some(RegistryHttpSpec {
            relative_urls,
            secret_ref: Some(credentials.registry_http.name()),
            debug: metrics.and_then(debug),
            tls: harbor.tls(Part::Registry),
            ..RegistryHttpSpec::default()
        }),
        authentication: Some(RegistryAuthenticationSpec {
            ht_passwd: Some(RegistryHtPasswdSpec {
                realm: "harbor-registry-basic-realm".into(),
                secret_ref: credentials.registry.name(),
            }),
            ..RegistryAuthenticationSpec::default()
        }),
        health: Some(RegistryHealthSpec {
            storage_driver: Some(RegistryStorageCheckSpec::default()),
            ..RegistryHealthSpec::default()
        }),
        notifications: None,
        redis: Some(RegistryRedisSpec {
            connection: harbor.redis(RedisDatabase::Registry),
            dial_timeout: None,
            read_timeout: None,
            write_timeout: None,
            // As in Harbor's own installer: the default is too small for many concurrent pulls.
            pool: Some(RegistryRedisPoolSpec {
                max_active: 500,
                max_idle: 100,
                idle_timeout: GoDuration::from("60s"),
            }),
        }),
        middlewares: Some(storage_middlewares)
            .filter(|storage| !storage.is_empty())
            .map(|storage| RegistryMiddlewaresSpec { storage, ..RegistryMiddlewaresSpec::default() }),
        compatibility: None,
        validation: Some(RegistryValidationSpec { disabled: Some(true), manifests: None }),
        reporting: std::collections::BTreeMap::new(),
        trace: installation.trace.clone(),
        proxy: harbor.proxy(Part::Registry),
        network: installation.network.clone(),
        update_strategy_type: installation.update_strategy_type.clone(),
    };
    v1beta1::Registry { metadata: harbor.component_metadata(), spec, status: None }
}

fn storage(harbor: &Validated<'_>, upload_purging: Option<RegistryUploadPurgingSpec>) -> RegistryStorageSpec {
    let storage = &harbor.spec.image_chart_storage;
    // In `storage::of_images`.
    let HarborStorageSpec { filesystem: _, object_store: _, redirect, driver_options } = storage;
    let purging = || RegistryUploadPurgingSpec {
        enabled: true,
        age: GoDuration::from("168h"),
        interval: GoDuration::from("24h"),
        dry_run: false,
    };
    RegistryStorageSpec {
        driver: storage::of_images(storage),
        driver_options: driver_options.clone(),
        cache: Some(RegistryStorageCacheSpec { blob_descriptor: Some(BlobDescriptorCache::Redis) }),
        delete: Some(RegistryStorageDeleteSpec::default()),
        redirect: redirect.clone(),
        maintenance: Some(RegistryMaintenanceSpec {
            upload_purging: Some(upload_purging.unwrap_or_else(purging)),
            read_only: None,
        }),
    }
}

/// The debug server, if metrics are enabled.
fn debug(metrics: MetricsSpec) -> Option<RegistryHttpDebugSpec> {
    let MetricsSpec { enabled, port, path, service_monitor } = metrics;
    let prometheus = Some(RegistryPrometheusSpec { enabled, path, service_monitor });
    enabled.then_some(RegistryHttpDebugSpec { port, prometheus })
}

/// The registry controller, which runs in the registry's pods.
pub(in super::super) fn registry_controller(
    harbor: &Validated<'_>,
    credentials: &Credentials,
) -> v1beta1::RegistryController {
    let spec = RegistryControllerSpec {
        component: harbor.pods(Part::RegistryController, harbor.installation.registryctl.as_ref()),
        registry_ref: harbor.name.to_string().into(),
        authentication: RegistryControllerAuthenticationSpec {
            core_secret_ref: Some(credentials.core.name()),
            job_service_secret_ref: Some(credentials.jobservice.name()),
        },
        log: Some(RegistryControllerLogSpec { level: controller_level(harbor.installation.log_level) }),
        tls: harbor.tls(Part::RegistryController),
        network: harbor.installation.network.clone(),
    };
    v1beta1::RegistryController { metadata: harbor.component_metadata(), spec, status: None }
}

const fn level(level: HarborLogLevel) -> RegistryLogLevel {
    match level {
        HarborLogLevel::Debug => RegistryLogLevel::Debug,
        HarborLogLevel::Info => RegistryLogLevel::Info,
        HarborLogLevel::Warning => RegistryLogLevel::Warning,
        HarborLogLevel::Error | HarborLogLevel::Fatal => RegistryLogLevel::Error,
    }
}

const fn controller_level(level: HarborLogLevel) -> RegistryControllerLogLevel {
    match level {
        HarborLogLevel::Debug => RegistryControllerLogLevel::Debug,
        HarborLogLevel::Info => RegistryControllerLogLevel::Info,
        HarborLogLevel::Warning => RegistryControllerLogLevel::Warning,
        HarborLogLevel::Error => RegistryControllerLogLevel::Error,
        HarborLogLevel::Fatal => RegistryControllerLogLevel::Fatal,
    }
}
