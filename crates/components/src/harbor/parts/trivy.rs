//! Trivy.

use super::{
    super::{databases::RedisDatabase, part::Part, validated::Validated},
    core::public_authority,
    jobservice::claim_or_scratch,
};
use api::v1beta1::{
    self, TrivySpec,
    installation::{HarborLogLevel, components::HarborTrivySpec},
    trivy::{
        TrivyLogLevel, TrivyLogSpec, TrivyRedisSpec, TrivyServerSpec, TrivySeverity, TrivyStorageSpec,
        TrivyUpdateSpec, TrivyVulnerabilityType,
    },
};

/// Trivy, if the user requests one.
pub(in super::super) fn trivy(harbor: &Validated<'_>) -> Option<v1beta1::Trivy> {
    let installation = harbor.installation;
    let requested = installation.trivy.as_ref()?;
    let spec = TrivySpec {
        component: harbor.pods(Part::Trivy, Some(&requested.component)),
        certificates: harbor.authorities(Some(&requested.certificates)),
        server: server(harbor, requested),
        storage: TrivyStorageSpec {
            cache: claim_or_scratch(requested.storage.cache_persistent_volume.as_ref()),
            reports: claim_or_scratch(requested.storage.reports_persistent_volume.as_ref()),
        },
        redis: Some(TrivyRedisSpec::on(harbor.redis(RedisDatabase::Trivy))),
        severities: unless_set(&requested.severities, TrivySeverity::every),
        vulnerability_types: unless_set(&requested.vulnerability_types, TrivyVulnerabilityType::every),
        timeout: requested.timeout.clone().unwrap_or_else(TrivySpec::usual_timeout),
        offline_scan: requested.offline_scan,
        update: Some(TrivyUpdateSpec {
            skip: requested.skip_update,
            github_token_ref: requested.github_token_ref.clone(),
        }),
        log: TrivyLogSpec { level: level(installation.log_level) },
        proxy: harbor.proxy(Part::Trivy),
        network: installation.network.clone(),
        sources: requested.sources.clone(),
    };
    Some(v1beta1::Trivy { metadata: harbor.component_metadata(), spec, status: None })
}

fn unless_set<T: Clone>(requested: &[T], default: fn() -> Vec<T>) -> Vec<T> {
    if requested.is_empty() { default() } else { requested.to_vec() }
}

fn server(harbor: &Validated<'_>, requested: &HarborTrivySpec) -> TrivyServerSpec {
    TrivyServerSpec {
        tls: harbor.tls(Part::Trivy),
        token_service_certificate_authority_refs: public_authority(harbor)
            .map(String::from)
            .into_iter()
            .collect(),
        debug_mode: requested.debug_mode.unwrap_or_default(),
        ignore_unfixed: requested.ignore_unfixed.unwrap_or_default(),
        insecure: requested.insecure.unwrap_or_default(),
        ..TrivyServerSpec::default()
    }
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
