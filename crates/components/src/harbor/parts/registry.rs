//! The registry and its controller.

use super::{
    super::{credentials::Credentials, databases::RedisDatabase, part::Part, validated::Validated},
    storage,
};
use api::v1beta1::{
    self, GoDuration, RegistryControllerSpec, RegistrySpec,
    installation::{HarborLogLevel, components::HarborRegistrySpec},
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
    let requested = installation.registry.clone().unwrap_or_default();
    let spec = RegistrySpec {
        component: harbor.pods(Part::Registry, Some(&requested.component)),
        certificates: harbor.authorities(Some(&requested.certificates)),
        storage: storage(harbor, &requested),
        log: RegistryLogSpec {
            level: level(installation.log_level),
            access_log: Some(RegistryAccessLogSpec { disabled: false }),
            ..RegistryLogSpec::default()
        },
        http: Some(http(harbor, credentials, &requested)),
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
        middlewares: Some(requested.storage_middlewares.clone())
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

fn storage(harbor: &Validated<'_>, requested: &HarborRegistrySpec) -> RegistryStorageSpec {
    let storage = &harbor.spec.image_chart_storage;
    let purging = || RegistryUploadPurgingSpec {
        enabled: true,
        age: GoDuration::from("168h"),
        interval: GoDuration::from("24h"),
        dry_run: false,
    };
    RegistryStorageSpec {
        driver: storage::of_images(storage),
        driver_options: storage.driver_options.clone(),
        cache: Some(RegistryStorageCacheSpec { blob_descriptor: Some(BlobDescriptorCache::Redis) }),
        delete: Some(RegistryStorageDeleteSpec::default()),
        redirect: storage.redirect.clone(),
        maintenance: Some(RegistryMaintenanceSpec {
            upload_purging: Some(requested.upload_purging.clone().unwrap_or_else(purging)),
            read_only: None,
        }),
    }
}

fn http(
    harbor: &Validated<'_>,
    credentials: &Credentials,
    requested: &HarborRegistrySpec,
) -> RegistryHttpSpec {
    let metrics = requested.metrics.as_ref().filter(|metrics| metrics.enabled);
    RegistryHttpSpec {
        relative_urls: requested.relative_urls,
        secret_ref: Some(credentials.registry_http.name()),
        debug: metrics.map(|metrics| RegistryHttpDebugSpec {
            port: metrics.port,
            prometheus: Some(RegistryPrometheusSpec {
                enabled: true,
                path: metrics.path.clone(),
                service_monitor: metrics.service_monitor.clone(),
            }),
        }),
        tls: harbor.tls(Part::Registry),
        ..RegistryHttpSpec::default()
    }
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
