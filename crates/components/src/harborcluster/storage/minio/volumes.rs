//! The volumes of MinIO. Their claims are ours, by name and in our namespace, and not the StatefulSet's: so they go with
//! the HarborCluster where its data is to be deleted, and stay where it is to be kept.

use super::{Wish, access::TENANT_LABEL, tenant::POOL};
use crate::{harborcluster::volume::size, values::quantity_bytes};
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

/// Names the pool on all that the MinIO operator makes for it; it finds claims to be enlarged by it.
const POOL_LABEL: &str = "v1.min.io/pool";

const FIELD: &str = "spec.storage.spec.minIO";

/// The claims of the volumes.
pub(super) struct Claims {
    /// What the Tenant says of them.
    pub template: VolumeClaim,
}

impl Claims {
    /// As the user wants them.
    pub fn of(wish: &Wish<'_>) -> Result<Self, PlanError> {
        drives(wish)?;
        Ok(Self { template: template(wish.spec.volume_claim_template.clone().unwrap_or_default()) })
    }

    /// Refuses what the Tenant that exists cannot become.
    pub fn fit(&self, wish: &Wish<'_>, existing: &Tenant) -> Result<(), PlanError> {
        match existing.spec.pools.iter().find(|pool| pool.name == POOL) {
            Some(pool) => unchanged(wish, pool, &self.template),
            None => Ok(()),
        }
    }

    /// The claims themselves, called as a StatefulSet calls its own.
    pub fn objects<'w>(&self, wish: &'w Wish<'_>) -> impl Iterator<Item = PersistentVolumeClaim> + use<'w> {
        let VolumeClaim { metadata, spec } = self.template.clone();
        let metadata = metadata.unwrap_or_default();
        let numbers = (0..wish.spec.replicas)
            .flat_map(|server| (0..wish.spec.volumes_per_server).map(move |volume| (server, volume)));
        numbers.map(move |(server, volume)| {
            let prefix = metadata.name.as_deref().unwrap_or_default();
            let own = wish.cluster.metadata(format!("{prefix}{volume}-{}-{POOL}-{server}", wish.name));
            let mut labels = metadata.labels.clone();
            labels.extend(own.labels.unwrap_or_default());
            labels.insert(TENANT_LABEL.to_owned(), wish.name.clone());
            labels.insert(POOL_LABEL.to_owned(), POOL.to_owned());
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

/// The template with what MinIO cannot do without.
fn template(wished: VolumeClaimTemplate) -> VolumeClaim {
    let mut spec = wished.spec.unwrap_or_default();
    if spec.access_modes.as_ref().is_none_or(Vec::is_empty) {
        spec.access_modes = Some(vec!["ReadWriteOnce".into()]);
    }
    let requests = spec.resources.get_or_insert_default().requests.get_or_insert_default();
    requests.entry("storage".into()).or_insert_with(|| Quantity("10Gi".into()));
    let metadata = wished.metadata.map(|metadata| VolumeClaimMetadata {
        name: metadata.name.filter(|name| !name.is_empty()),
        labels: metadata.labels.unwrap_or_default(),
        annotations: metadata.annotations.unwrap_or_default(),
    });
    VolumeClaim { metadata: metadata.filter(|all| *all != VolumeClaimMetadata::default()), spec }
}

/// Data is spread over at least four volumes.
fn drives(wish: &Wish<'_>) -> Result<(), PlanError> {
    let (servers, each) = (wish.spec.replicas, wish.spec.volumes_per_server);
    if servers >= 1 && each >= 1 && servers.saturating_mul(each) >= 4 {
        return Ok(());
    }
    Err(PlanError::invalid(
        FIELD,
        format!("{servers} replicas with {each} volumes each are not the four volumes that MinIO needs"),
        "raise replicas or volumesPerServer",
    ))
}

fn unchanged(wish: &Wish<'_>, pool: &Pool, template: &VolumeClaim) -> Result<(), PlanError> {
    (
        same("replicas", pool.servers, wish.spec.replicas),
        same("volumesPerServer", pool.volumes_per_server, wish.spec.volumes_per_server),
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

/// Under another name, MinIO would start with empty volumes.
fn same_name(is: &VolumeClaim, wanted: &VolumeClaim) -> Result<(), PlanError> {
    let name = |claim: &VolumeClaim| claim.metadata.as_ref().and_then(|metadata| metadata.name.clone());
    let (is, wanted) = (name(is).unwrap_or_default(), name(wanted).unwrap_or_default());
    if is == wanted {
        return Ok(());
    }
    Err(PlanError::invalid(
        format_args!("{FIELD}.volumeClaimTemplate.metadata.name"),
        format!("is {wanted:?}, but the volumes of MinIO are called after {is:?}"),
        "give it back its name",
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
