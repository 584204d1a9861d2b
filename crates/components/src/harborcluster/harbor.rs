//! The Harbor of a HarborCluster: the settings that both share, and the settings of the services.

use super::{cache::Cache, cluster::Cluster, database::Database, storage::Storage};
use crate::connections::proxy_except;
use api::names::{
    MOVED_ANNOTATION, NETWORK_POLICIES_ANNOTATION, REPAIR_SCHEMA_ANNOTATION, RESTORED_ANNOTATION,
    RETRY_MIGRATION_ANNOTATION, ROTATE_ANNOTATION, ROTATE_ENCRYPTION_KEY_ANNOTATION,
};
use api::v1beta1::{
    Harbor, HarborSpec, certificates::CertificateInjection, harbor::HarborStorageSpec,
    installation::InstallationSpec, proxy::HarborProxySpec,
};
use std::collections::BTreeMap;

/// Its name.
pub(super) fn name(cluster: &Cluster<'_>) -> String {
    format!("{}-harbor", cluster.name)
}

/// The Harbor that uses these services.
pub(super) fn harbor(cluster: &Cluster<'_>, cache: &Cache, database: &Database, storage: &Storage) -> Harbor {
    let mut installation = cluster.spec.installation.clone();
    trust(storage.settings(), &mut installation);
    installation.proxy = installation.proxy.map(|requested| HarborProxySpec {
        proxy: proxy_except(requested.proxy, storage.host()),
        ..requested
    });
    let spec = HarborSpec {
        installation,
        database: database.settings().clone(),
        redis: cache.settings().clone(),
        image_chart_storage: storage.settings().clone(),
    };
    let mut metadata = cluster.metadata(name(cluster));
    metadata.annotations = Some(passed_on(cluster)).filter(|annotations| !annotations.is_empty());
    Harbor { metadata, spec, status: None }
}

/// The annotations of a HarborCluster that its Harbor gets, too.
const PASSED_ON: [&str; 7] = [
    NETWORK_POLICIES_ANNOTATION,
    MOVED_ANNOTATION,
    RESTORED_ANNOTATION,
    RETRY_MIGRATION_ANNOTATION,
    REPAIR_SCHEMA_ANNOTATION,
    ROTATE_ANNOTATION,
    ROTATE_ENCRYPTION_KEY_ANNOTATION,
];

fn passed_on(cluster: &Cluster<'_>) -> BTreeMap<String, String> {
    let said = cluster.metadata.annotations.iter().flatten();
    let passed_on = said.filter(|(key, _)| PASSED_ON.contains(&key.as_str()));
    passed_on.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Adds the authority of an S3 store to the components that the registry redirects to it.
fn trust(storage: &HarborStorageSpec, installation: &mut InstallationSpec) {
    let s3 = storage.object_store.s3.as_ref();
    let Some(authority) = s3.and_then(|s3| s3.certificate_ref.clone()).filter(|name| !name.is_empty()) else {
        return;
    };
    let InstallationSpec {
        core,
        jobservice,
        trivy,
        chartmuseum,
        // It gets the authority with the store.
        registry: _,
        // They are not redirected.
        nginx: _,
        registryctl: _,
        portal: _,
        exporter: _,
        notary: _,
        // No components.
        external_url: _,
        version: _,
        upgrade: _,
        rotation: _,
        expose: _,
        harbor_admin_password_ref: _,
        harbor_admin_password_key: _,
        deletion_policy: _,
        internal_tls: _,
        log_level: _,
        update_strategy_type: _,
        image_source: _,
        proxy: _,
        trace: _,
        network: _,
        certificates: _,
        cache_layer: _,
    } = installation;
    let trusted: [Option<&mut CertificateInjection>; 4] = [
        Some(&mut core.get_or_insert_default().certificates),
        Some(&mut jobservice.get_or_insert_default().certificates),
        trivy.as_mut().map(|trivy| &mut trivy.certificates),
        chartmuseum.as_mut().map(|chartmuseum| &mut chartmuseum.certificates),
    ];
    for certificates in trusted.into_iter().flatten() {
        if !certificates.certificate_refs.iter().any(|name| *name == *authority) {
            certificates.certificate_refs.push(authority.to_string());
        }
    }
}
