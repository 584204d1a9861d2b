//! The volumes of MinIO. The operator creates their claims, with the names that the StatefulSet expects, so
//! that the deletion policy of the HarborCluster applies to them.

use super::{Request, tenant::POOL};
use crate::{harborcluster::volume::size, values::quantity_bytes};
use api::names::{MINIO_POOL_LABEL, MINIO_TENANT_LABEL};
use api::{
    thirdparty::minio::{Pool, Tenant, VolumeClaim, VolumeClaimMetadata},
    v1beta1::harborcluster::storage::VolumeClaimTemplate,
};
use k8s_openapi::{
    api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimSpec},
    apimachinery::pkg::api::resource::Quantity,
};
use kube::core::ObjectMeta;
use plan::{All, PlanError};

const FIELD: &str = "spec.storage.spec.minIO";

/// The claims of the volumes.
pub(super) struct Claims {
    /// The template in the Tenant.
    pub template: VolumeClaim,
}

impl Claims {
    /// The claims that the user requests.
    pub fn of(request: &Request<'_>) -> Result<Self, PlanError> {
        drives(request)?;
        Ok(Self { template: template(request.spec.volume_claim_template.clone().unwrap_or_default()) })
    }

    /// Refuses changes that an existing Tenant does not support.
    pub fn fit(&self, request: &Request<'_>, existing: &Tenant) -> Result<(), PlanError> {
        match existing.spec.pools.iter().find(|pool| pool.name == POOL) {
            Some(pool) => unchanged(request, pool, &self.template),
            None => Ok(()),
        }
    }

    /// The claims, with the names that a StatefulSet gives.
    pub fn objects<'w>(
        &self,
        request: &'w Request<'_>,
    ) -> impl Iterator<Item = PersistentVolumeClaim> + use<'w> {
        let VolumeClaim { metadata, spec } = self.template.clone();
        let metadata = metadata.unwrap_or_default();
        let numbers = (0..request.spec.replicas)
            .flat_map(|server| (0..request.spec.volumes_per_server).map(move |volume| (server, volume)));
        numbers.map(move |(server, volume)| {
            let prefix = metadata.name.as_deref().unwrap_or_default();
            let own = request.cluster.metadata(format!("{prefix}{volume}-{}-{POOL}-{server}", request.name));
            let mut labels = metadata.labels.clone();
            labels.extend(own.labels.unwrap_or_default());
            labels.insert(MINIO_TENANT_LABEL.to_owned(), request.name.clone());
            labels.insert(MINIO_POOL_LABEL.to_owned(), POOL.to_owned());
            PersistentVolumeClaim {
                metadata: ObjectMeta {
                    labels: Some(labels),
                    annotations: Some(metadata.annotations.clone()).filter(|all| !all.is_empty()),
                    ..ObjectMeta { labels: None, ..own }
                },
                spec: Some(spec.clone()),
                status: None,
            }
        })
    }
}

/// The template, with the fields that MinIO requires.
fn template(requested: VolumeClaimTemplate) -> VolumeClaim {
    // The kind of a template and its status mean nothing.
    let VolumeClaimTemplate { api_version: _, kind: _, metadata, spec, status: _ } = requested;
    let mut spec = spec.unwrap_or_default();
    if spec.access_modes.as_ref().is_none_or(Vec::is_empty) {
        spec.access_modes = Some(vec!["ReadWriteOnce".into()]);
    }
    let requests = spec.resources.get_or_insert_default().requests.get_or_insert_default();
    requests.entry("storage".into()).or_insert_with(|| Quantity("10Gi".into()));
    let metadata = metadata.map(|metadata| VolumeClaimMetadata {
        name: metadata.name.filter(|name| !name.is_empty()),
        labels: metadata.labels.unwrap_or_default(),
        annotations: metadata.annotations.unwrap_or_default(),
    });
    VolumeClaim { metadata: metadata.filter(|all| *all != VolumeClaimMetadata::default()), spec }
}

/// Refuses fewer volumes than the four that MinIO requires.
fn drives(request: &Request<'_>) -> Result<(), PlanError> {
    let (servers, each) = (request.spec.replicas, request.spec.volumes_per_server);
    if servers >= 1 && each >= 1 && servers.saturating_mul(each) >= 4 {
        return Ok(());
    }
    Err(PlanError::invalid(
        FIELD,
        format!("{servers} replicas with {each} volumes each are not the four volumes that MinIO needs"),
        "raise replicas or volumesPerServer",
    ))
}

fn unchanged(request: &Request<'_>, pool: &Pool, template: &VolumeClaim) -> Result<(), PlanError> {
    (
        same("replicas", pool.servers, request.spec.replicas),
        same("volumesPerServer", pool.volumes_per_server, request.spec.volumes_per_server),
        same_name(&pool.volume_claim_template, template),
        no_smaller(&pool.volume_claim_template.spec, &template.spec),
    )
        .all()
        .map(drop)
}

fn same(field: &str, is: i32, wanted: i32) -> Result<(), PlanError> {
    if is == wanted {
        return Ok(());
    }
    Err(PlanError::invalid(
        format_args!("{FIELD}.{field}"),
        format!("is {wanted}, but MinIO runs with {is} and cannot change it"),
        format!("set it to {is}, or move the data to another HarborCluster"),
    ))
}

/// Refuses another name, with which MinIO would start with empty volumes.
fn same_name(is: &VolumeClaim, wanted: &VolumeClaim) -> Result<(), PlanError> {
    let name = |claim: &VolumeClaim| claim.metadata.as_ref().and_then(|metadata| metadata.name.clone());
    let (is, wanted) = (name(is).unwrap_or_default(), name(wanted).unwrap_or_default());
    if is == wanted {
        return Ok(());
    }
    Err(PlanError::invalid(
        format_args!("{FIELD}.volumeClaimTemplate.metadata.name"),
        format!("is {wanted:?}, but the volumes of MinIO are called after {is:?}"),
        "restore the name",
    ))
}

fn no_smaller(is: &PersistentVolumeClaimSpec, wanted: &PersistentVolumeClaimSpec) -> Result<(), PlanError> {
    let (Some(is), Some(wanted)) = (size(is), size(wanted)) else { return Ok(()) };
    match (quantity_bytes(is), quantity_bytes(wanted)) {
        (Some(least), Some(size)) if size < least => Err(PlanError::invalid(
            format_args!("{FIELD}.volumeClaimTemplate.spec.resources.requests.storage"),
            format!("is {wanted}, but volumes of {is} cannot become smaller"),
            format!("ask for {is} or more"),
        )),
        _ => Ok(()),
    }
}
