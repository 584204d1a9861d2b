//! The project itself.

use crate::{
    management::{Registry, Server},
    values::quantity_bytes,
};
use api::v1beta1::{HarborProjectSpec, harborproject::HarborProjectMetadata};
use harbor::projects::MetadataKey as Key;
use harborstate::{
    cve_allowlist::CveAllowlist,
    project::{Project, UNLIMITED},
};
use plan::{All as _, PlanError, System, World};
use std::collections::BTreeMap;

/// The largest quota that Harbor accepts: 1024 TiB.
const LARGEST_QUOTA: f64 = 1_125_899_906_842_624.0;

/// The project as the spec says. Flags that are not set are `false`, as the old operator sent them.
pub(super) fn project(
    spec: &HarborProjectSpec,
    namespace: &str,
    system: &System,
    server: &Server,
    world: &World<'_>,
) -> Result<Project, PlanError> {
    let (metadata, storage_quota, registry) = (
        metadata(spec, server),
        spec.storage_quota.as_deref().map(quota).transpose(),
        registry(spec, namespace, system, server, world),
    )
        .all()?;
    let expires_at = spec.cve_allow_list_expires_at.as_ref().map(|time| time.0.as_second());
    let cve_allowlist = Some(CveAllowlist { expires_at, ..CveAllowlist::new(&spec.cve_allow_list) });
    Ok(Project { metadata, cve_allowlist, storage_quota, registry })
}

fn metadata(spec: &HarborProjectSpec, server: &Server) -> Result<BTreeMap<String, String>, PlanError> {
    let nothing = HarborProjectMetadata::default();
    let wanted = spec.metadata.as_ref().unwrap_or(&nothing);
    let flag = |flag: Option<bool>| Some(flag.unwrap_or_default().to_string());
    let only_set = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    // Without a list of its own, a project uses that of the whole Harbor.
    let reuse = wanted.reuse_sys_cve_allowlist.unwrap_or(spec.cve_allow_list.is_empty());
    // Harbor ignores it in a proxy cache.
    let is_proxy = spec.registry_ref.is_some() || spec.registry_name.is_some();
    let trust = if is_proxy { None } else { flag(wanted.enable_content_trust) };
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let settings = [
        ("public", Key::Public, flag(wanted.public)),
        ("autoScan", Key::AutoScan, flag(wanted.auto_scan)),
        ("enableContentTrust", Key::EnableContentTrust, trust),
        ("enableContentTrustCosign", Key::EnableContentTrustCosign, flag(wanted.enable_content_trust_cosign)),
        ("preventVulnerable", Key::PreventVul, flag(wanted.prevent_vulnerable)),
        ("severity", Key::Severity, wanted.severity.map(|severity| severity.as_str().to_owned())),
        ("reuseSysCveAllowlist", Key::ReuseSysCveAllowlist, Some(reuse.to_string())),
        ("autoSbomGeneration", Key::AutoSbomGeneration, only_set(wanted.auto_sbom_generation)),
        ("proxySpeedKb", Key::ProxySpeedKb, number(wanted.proxy_speed_kb)),
        ("maxUpstreamConnections", Key::MaxUpstreamConn, number(wanted.max_upstream_connections)),
        (
            "proxyCacheLocalOnNotFound",
            Key::ProxyCacheLocalOnNotFound,
            only_set(wanted.proxy_cache_local_on_not_found),
        ),
    ];
    let set = settings.into_iter().filter_map(|(field, key, value)| Some((field, key, value?)));
    let checked = set.map(|(field, key, value)| {
        let field = format!("spec.metadata.{field}");
        server.supports(&field, |version| key.is_in(version))?;
        if key.is_for_proxies() && !is_proxy {
            return Err(PlanError::invalid(
                field,
                "is only for a proxy cache",
                "set spec.registryRef or spec.registryName, or remove it",
            ));
        }
        Ok((key.to_string(), value))
    });
    checked.collect::<Vec<_>>().all().map(|settings| settings.into_iter().collect())
}

fn quota(text: &str) -> Result<i64, PlanError> {
    if matches!(text, "unlimited" | "-1") {
        return Ok(UNLIMITED);
    }
    let bytes = quantity_bytes(text).filter(|bytes| *bytes <= LARGEST_QUOTA);
    // Whole numbers up to 2^50.
    #[allow(clippy::cast_possible_truncation, reason = "checked above")]
    bytes.map(|bytes| bytes as i64).ok_or_else(|| {
        PlanError::invalid(
            "spec.storageQuota",
            "is no size that Harbor accepts",
            "write it as 10Gi, at most 1024Ti, or as unlimited",
        )
    })
}

/// The name of the registry endpoint of a proxy cache.
fn registry(
    spec: &HarborProjectSpec,
    namespace: &str,
    system: &System,
    server: &Server,
    world: &World<'_>,
) -> Result<Option<String>, PlanError> {
    let named = |name| Registry::Named { name, field: "spec.registryName" };
    let registry = spec.registry_ref.as_deref().map(Registry::Described);
    let registry = registry.or_else(|| spec.registry_name.as_deref().map(named));
    registry.map(|registry| registry.name(namespace, system, server, world)).transpose()
}
