//! Trivy.

use super::{
    super::{databases::RedisDatabase, inputs::Inputs, part::Part},
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

/// Trivy, where the user wants one.
pub(in super::super) fn trivy(harbor: &Inputs<'_>) -> Option<v1beta1::Trivy> {
    let installation = harbor.installation;
    let wished = installation.trivy.as_ref()?;
    let spec = TrivySpec {
        component: harbor.pods(Part::Trivy, Some(&wished.component)),
        certificates: harbor.authorities(Some(&wished.certificates)),
        server: server(harbor, wished),
        storage: TrivyStorageSpec {
            cache: claim_or_scratch(wished.storage.cache_persistent_volume.as_ref()),
            reports: claim_or_scratch(wished.storage.reports_persistent_volume.as_ref()),
        },
        redis: Some(TrivyRedisSpec::on(harbor.redis(RedisDatabase::Trivy))),
        severities: unless_set(&wished.severities, TrivySeverity::every),
        vulnerability_types: unless_set(&wished.vulnerability_types, TrivyVulnerabilityType::every),
        timeout: wished.timeout.clone().unwrap_or_else(TrivySpec::usual_timeout),
        offline_scan: wished.offline_scan,
        update: Some(TrivyUpdateSpec {
            skip: wished.skip_update,
            github_token_ref: wished.github_token_ref.clone(),
        }),
        log: TrivyLogSpec { level: level(installation.log_level) },
        proxy: harbor.proxy(Part::Trivy),
        network: installation.network.clone(),
        sources: wished.sources.clone(),
    };
    Some(v1beta1::Trivy { metadata: harbor.component_metadata(), spec, status: None })
}

fn unless_set<T: Clone>(wished: &[T], usual: fn() -> Vec<T>) -> Vec<T> {
    if wished.is_empty() { usual() } else { wished.to_vec() }
}

fn server(harbor: &Inputs<'_>, wished: &HarborTrivySpec) -> TrivyServerSpec {
    TrivyServerSpec {
        tls: harbor.tls(Part::Trivy),
        token_service_certificate_authority_refs: public_authority(harbor)
            .map(String::from)
            .into_iter()
            .collect(),
        debug_mode: wished.debug_mode.unwrap_or_default(),
        ignore_unfixed: wished.ignore_unfixed.unwrap_or_default(),
        insecure: wished.insecure.unwrap_or_default(),
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
