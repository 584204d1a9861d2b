//! Trivy.

use super::{
    super::{databases::RedisDatabase, part::Part, validated::Validated},
    core::public_authority,
    jobservice::claim_or_scratch,
};
use api::v1beta1::{
    self, TrivySpec,
    installation::{
        HarborLogLevel,
        components::{HarborTrivySpec, HarborTrivyStorageSpec},
    },
    trivy::{
        TrivyLogLevel, TrivyLogSpec, TrivyRedisSpec, TrivyServerSpec, TrivySeverity, TrivyStorageSpec,
        TrivyUpdateSpec, TrivyVulnerabilityType,
    },
};

/// Trivy, if the user requests one.
pub(in super::super) fn trivy(harbor: &Validated<'_>) -> Option<v1beta1::Trivy> {
    let installation = harbor.installation;
    let HarborTrivySpec {
        component,
        certificates,
        storage,
        skip_update,
        offline_scan,
        github_token_ref,
        severities,
        vulnerability_types,
        ignore_unfixed,
        insecure,
        timeout,
        debug_mode,
        sources,
    } = installation.trivy.clone()?;
    let HarborTrivyStorageSpec { cache_persistent_volume, reports_persistent_volume } = storage;
    let spec = TrivySpec {
        component: harbor.pods(Part::Trivy, Some(&component)),
        certificates: harbor.authorities(Some(&certificates)),
        server: TrivyServerSpec {
            tls: harbor.tls(Part::Trivy),
            token_service_certificate_authority_refs: public_authority(harbor)
                .map(String::from)
                .into_iter()
                .collect(),
            debug_mode: debug_mode.unwrap_or_default(),
            ignore_unfixed: ignore_unfixed.unwrap_or_default(),
            insecure: insecure.unwrap_or_default(),
            ..TrivyServerSpec::default()
        },
        storage: TrivyStorageSpec {
            cache: claim_or_scratch(cache_persistent_volume.as_ref()),
            reports: claim_or_scratch(reports_persistent_volume.as_ref()),
        },
        redis: Some(TrivyRedisSpec::on(harbor.redis(RedisDatabase::Trivy))),
        severities: unless_set(severities, TrivySeverity::every),
        vulnerability_types: unless_set(vulnerability_types, TrivyVulnerabilityType::every),
        timeout: timeout.unwrap_or_else(TrivySpec::default_timeout),
        offline_scan,
        update: Some(TrivyUpdateSpec { skip: skip_update, github_token_ref }),
        log: TrivyLogSpec { level: level(installation.log_level) },
        proxy: harbor.proxy(Part::Trivy),
        network: installation.network.clone(),
        sources,
    };
    Some(v1beta1::Trivy { metadata: harbor.component_metadata(), spec, status: None })
}

fn unless_set<T>(requested: Vec<T>, default: fn() -> Vec<T>) -> Vec<T> {
    if requested.is_empty() { default() } else { requested }
}

const fn level(level: HarborLogLevel) -> TrivyLogLevel {
    match level {
        HarborLogLevel::Debug => TrivyLogLevel::Debug,
        HarborLogLevel::Info => TrivyLogLevel::Info,
        HarborLogLevel::Warning => TrivyLogLevel::Warning,
        HarborLogLevel::Error => TrivyLogLevel::Error,
        HarborLogLevel::Fatal => TrivyLogLevel::Fatal,
    }
}
