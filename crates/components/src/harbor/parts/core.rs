//! Core.

use super::{
    super::{
        certificates,
        credentials::Credentials,
        databases::{Database, RedisDatabase},
        part::Part,
        validated::Validated,
    },
    registry_access, storage,
};
use api::names::{REPAIR_SCHEMA_ANNOTATION, RETRY_MIGRATION_ANNOTATION, ROTATE_ENCRYPTION_KEY_ANNOTATION};
use api::v1beta1::{
    self, CoreSpec, ObjectName,
    core::{
        AuthMode, CoreComponentsSpec, CoreLogLevel, CoreLogSpec, CoreRedisSpec,
        components::{
            CacheDriver, CoreChartRepositorySpec, CoreJobServiceSpec, CoreNotaryServerSpec, CorePortalSpec,
            CoreRegistrySpec, CoreTokenServiceSpec, CoreTrivySpec,
        },
    },
    duration::GoDuration,
    installation::{HarborLogLevel, components::HarborCoreSpec},
    postgres::CoreDatabaseSpec,
};

/// Core.
pub(in super::super) fn core(harbor: &Validated<'_>, credentials: &Credentials) -> v1beta1::Core {
    let installation = harbor.installation;
    let requested = installation.core.clone().unwrap_or_default();
    let database = database(harbor, credentials, &requested);
    let HarborCoreSpec {
        component,
        certificates,
        service,
        metrics,
        settings,
        // In `database`.
        max_idle_connections: _,
        max_open_connections: _,
        lifetime: _,
        // In `public_authority`, `certificates` and `credentials`.
        public_certificate_ref: _,
        token_issuer: _,
        token_certificate_ref: _,
        encryption_key_ref: _,
        csrf_key_ref: _,
        secret_ref: _,
    } = requested;
    let spec = CoreSpec {
        component: harbor.pods(Part::Core, Some(&component)),
        certificates: harbor.authorities(Some(&certificates)),
        service,
        external_endpoint: harbor.external_url().into(),
        components: components(harbor, credentials),
        database,
        redis: CoreRedisSpec {
            connection: harbor.redis(RedisDatabase::Core),
            idle_timeout: GoDuration::from("30s"),
            harbor_database: harbor.spec.redis.databases.as_ref().and_then(|databases| databases.harbor),
        },
        admin_initial_password_ref: installation.harbor_admin_password_ref.clone(),
        admin_initial_password_key: installation.harbor_admin_password_key.clone(),
        csrf_key_ref: credentials.csrf.name(),
        secret_ref: credentials.core.name(),
        public_certificate_ref: public_authority(harbor),
        auth_mode: AuthMode::default(),
        config_expiration: GoDuration::from("5s"),
        http: None,
        log: Some(CoreLogSpec { level: level(installation.log_level) }),
        metrics,
        trace: installation.trace.clone(),
        proxy: harbor.proxy(Part::Core),
        network: installation.network.clone(),
        cache_layer: installation.cache_layer.clone(),
        deletion_policy: installation.deletion_policy,
        settings,
    };
    let mut metadata = harbor.exposed_metadata();
    let requested = [RETRY_MIGRATION_ANNOTATION, REPAIR_SCHEMA_ANNOTATION, ROTATE_ENCRYPTION_KEY_ANNOTATION];
    let requested =
        requested.into_iter().filter_map(|name| Some((name.to_owned(), harbor.annotation(name)?.to_owned())));
    metadata.annotations.get_or_insert_default().extend(requested);
    v1beta1::Core { metadata, spec, status: None }
}

pub(super) fn database(
    harbor: &Validated<'_>,
    credentials: &Credentials,
    requested: &HarborCoreSpec,
) -> CoreDatabaseSpec {
    CoreDatabaseSpec {
        connection: harbor.database(Database::Core),
        encryption_key_ref: credentials.encryption.name(),
        max_idle_connections: requested.max_idle_connections,
        max_open_connections: requested.max_open_connections,
        lifetime: requested.lifetime.clone(),
    }
}

/// The Secret with the authority that users may download.
pub(super) fn public_authority(harbor: &Validated<'_>) -> Option<ObjectName> {
    let given = harbor.installation.core.as_ref().and_then(|core| core.public_certificate_ref.clone());
    given.or_else(|| certificates::public_secret(harbor))
}

fn components(harbor: &Validated<'_>, credentials: &Credentials) -> CoreComponentsSpec {
    let installation = harbor.installation;
    CoreComponentsSpec {
        job_service: CoreJobServiceSpec {
            url: harbor.url(Part::JobService),
            secret_ref: credentials.jobservice.name(),
        },
        portal: CorePortalSpec { url: harbor.url(Part::Portal) },
        registry: CoreRegistrySpec {
            access: registry_access(harbor, credentials, harbor.url(Part::RegistryController)),
            redis: Some(harbor.redis(RedisDatabase::Registry)),
            storage_provider_name: Some(storage::provider(&harbor.spec.image_chart_storage).into()),
            sync: false,
        },
        token_service: CoreTokenServiceSpec {
            url: harbor.token_service_url(),
            certificate_ref: credentials.token.name(),
        },
        chart_repository: installation.chartmuseum.as_ref().map(|charts| CoreChartRepositorySpec {
            url: harbor.url(Part::ChartMuseum),
            absolute_url: charts.absolute_url,
            cache_driver: CacheDriver::default(),
        }),
        trivy: installation
            .trivy
            .as_ref()
            .map(|_| CoreTrivySpec { url: harbor.url(Part::Trivy), adapter_url: harbor.url(Part::Trivy) }),
        notary_server: installation
            .notary
            .as_ref()
            .map(|_| CoreNotaryServerSpec { url: harbor.url(Part::NotaryServer) }),
        tls: harbor.tls(Part::Core),
    }
}

const fn level(level: HarborLogLevel) -> CoreLogLevel {
    match level {
        HarborLogLevel::Debug => CoreLogLevel::Debug,
        HarborLogLevel::Info => CoreLogLevel::Info,
        HarborLogLevel::Warning => CoreLogLevel::Warn,
        HarborLogLevel::Error | HarborLogLevel::Fatal => CoreLogLevel::Error,
    }
}
