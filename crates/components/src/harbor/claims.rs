//! The claims that the operator creates for volumes whose size the user sets.
//!
//! A claim holds data: the operator keeps it when the Harbor is deleted, unless `deletionPolicy` says
//! otherwise, and when the spec no longer requests it. A claim can grow, but not shrink or move. The operator
//! never writes to a claim that a user created.

use super::validated::Validated;
use crate::{data::installation_retention, values::quantity_bytes};
use api::names::{CONTROLLER_LABEL, INSTANCE_LABEL};
use api::v1beta1::{
    harbor::storage::FilesystemSpec,
    installation::components::{HarborJobServiceStorageSpec, HarborTrivyStorageSpec},
    volume::{NewClaimSpec, PersistentVolumeSpec, RegistryPersistentVolumeSpec},
};
use k8s_openapi::{
    api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimSpec, VolumeResourceRequirements},
    apimachinery::pkg::api::resource::Quantity,
};
use kube::{ResourceExt as _, core::ObjectMeta};
use plan::{All, Builder, Desired, Node, PlanError, World};
use std::collections::BTreeMap;

/// The claims of a Harbor.
pub(super) struct Claims {
    /// By name.
    wanted: BTreeMap<String, Claim>,
}

enum Claim {
    /// Created as the user requests.
    Created(Box<PersistentVolumeClaim>),
    /// Created earlier, and used unchanged.
    Left,
}

/// A volume that the spec describes.
struct Volume<'a> {
    field: &'static str,
    spec: &'a PersistentVolumeSpec,
}

impl Claims {
    /// The claims that a Harbor creates or has created. Reads the existing claims, since little of a claim can
    /// change.
    pub fn of(harbor: &Validated<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let claims = volumes(harbor).map(|volume| {
            let name = &volume.spec.claim_name;
            let existing = world.read::<PersistentVolumeClaim>(name)?;
            let ours = existing.as_ref().is_some_and(|claim| is_ours(claim, harbor));
            let claim = match &volume.spec.create {
                Some(_) if existing.is_some() && !ours => return Err(foreign(&volume)),
                Some(create) => {
                    fits(&volume, create, existing.as_ref())?;
                    Some(Claim::Created(Box::new(claim(harbor, name, create))))
                }
                None => ours.then_some(Claim::Left),
            };
            Ok((volume, claim))
        });
        let mut wanted = BTreeMap::<String, Claim>::new();
        for (volume, claim) in claims.collect::<Vec<_>>().all()? {
            match (claim, wanted.get(&volume.spec.claim_name)) {
                (Some(Claim::Created(one)), Some(Claim::Created(other))) if one != *other => {
                    return Err(contradiction(&volume));
                }
                (Some(Claim::Left), Some(_)) | (None, _) => {}
                (Some(claim), _) => {
                    wanted.insert(volume.spec.claim_name.clone(), claim);
                }
            }
        }
        Ok(Self { wanted })
    }

    /// Adds the claims. Components wait for them.
    pub fn add<'g>(
        self,
        harbor: &Validated<'_>,
        graph: &mut Builder<'g>,
    ) -> Vec<Node<'g, PersistentVolumeClaim>> {
        let deletion = installation_retention(harbor.installation);
        let desired = |(name, claim)| match claim {
            Claim::Created(claim) => Desired::from(*claim).on_deletion(deletion),
            // Desired unchanged, otherwise the sweep would delete it.
            Claim::Left => {
                let metadata = harbor.metadata(name);
                Desired::once(PersistentVolumeClaim { metadata, ..PersistentVolumeClaim::default() })
                    .on_deletion(deletion)
            }
        };
        self.wanted.into_iter().map(|claim| graph.add::<PersistentVolumeClaim>(desired(claim), ())).collect()
    }
}

fn volumes<'a>(harbor: &Validated<'a>) -> impl Iterator<Item = Volume<'a>> + use<'a> {
    let filesystem = harbor.spec.image_chart_storage.filesystem.as_ref().map(|filesystem| {
        let FilesystemSpec { registry_persistent_volume, chart_persistent_volume } = filesystem;
        let RegistryPersistentVolumeSpec { volume, max_threads: _ } = registry_persistent_volume;
        [
            ("spec.imageChartStorage.filesystem.registryPersistentVolume", Some(volume)),
            ("spec.imageChartStorage.filesystem.chartPersistentVolume", chart_persistent_volume.as_ref()),
        ]
    });
    let jobservice = harbor.installation.jobservice.as_ref().and_then(|it| it.storage.as_ref());
    let jobservice = jobservice.map(|storage| {
        let HarborJobServiceStorageSpec { scan_data_exports_persistent_volume, job_logs_persistent_volume } =
            storage;
        [
            (
                "spec.jobservice.storage.scanDataExportsPersistentVolume",
                scan_data_exports_persistent_volume.as_ref(),
            ),
            ("spec.jobservice.storage.jobLogsPersistentVolume", job_logs_persistent_volume.as_ref()),
        ]
    });
    let trivy = harbor.installation.trivy.as_ref().map(|trivy| {
        let HarborTrivyStorageSpec { cache_persistent_volume, reports_persistent_volume } = &trivy.storage;
        [
            ("spec.trivy.storage.cachePersistentVolume", cache_persistent_volume.as_ref()),
            ("spec.trivy.storage.reportsPersistentVolume", reports_persistent_volume.as_ref()),
        ]
    });
    let volumes = [filesystem, jobservice, trivy].into_iter().flatten().flatten();
    volumes.filter_map(|(field, spec)| Some(Volume { field, spec: spec? }))
}

fn is_ours(claim: &PersistentVolumeClaim, harbor: &Validated<'_>) -> bool {
    let label = |name: &str| claim.labels().get(name).map(String::as_str);
    label(CONTROLLER_LABEL) == Some("harbor") && label(INSTANCE_LABEL) == Some(harbor.owner)
}

fn claim(harbor: &Validated<'_>, name: &str, create: &NewClaimSpec) -> PersistentVolumeClaim {
    let NewClaimSpec { size, storage_class_name, access_mode, annotations } = create;
    let mode = access_mode.unwrap_or_default().as_str();
    let size = ("storage".to_owned(), Quantity(size.clone()));
    PersistentVolumeClaim {
        metadata: ObjectMeta {
            annotations: Some(annotations.clone()).filter(|all| !all.is_empty()),
            ..harbor.metadata(name)
        },
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: Some(vec![mode.into()]),
            storage_class_name: storage_class_name.clone(),
            resources: Some(VolumeResourceRequirements { requests: Some([size].into()), limits: None }),
            ..PersistentVolumeClaimSpec::default()
        }),
        status: None,
    }
}

/// Refuses changes that an existing claim does not support.
fn fits(
    volume: &Volume<'_>,
    create: &NewClaimSpec,
    existing: Option<&PersistentVolumeClaim>,
) -> Result<(), PlanError> {
    let wanted = quantity_bytes(&create.size).ok_or_else(|| {
        let problem = format!("{:?} is not the size of a volume", create.size);
        PlanError::invalid(volume.at("size"), problem, "write it like 100Gi")
    });
    let Some(spec) = existing.and_then(|claim| claim.spec.as_ref()) else { return wanted.map(drop) };
    let ((), (), ()) = (
        wanted.and_then(|wanted| no_smaller(volume, wanted, spec)),
        same_class(volume, create, spec),
        same_mode(volume, create, spec),
    )
        .all()?;
    Ok(())
}

fn no_smaller(volume: &Volume<'_>, wanted: f64, spec: &PersistentVolumeClaimSpec) -> Result<(), PlanError> {
    let requests = spec.resources.as_ref().and_then(|resources| resources.requests.as_ref());
    match requests.and_then(|requests| requests.get("storage")) {
        Some(Quantity(size)) if quantity_bytes(size).is_some_and(|present| wanted < present) => {
            Err(PlanError::invalid(
                volume.at("size"),
                format!("the claim {} has {size}, and volumes do not shrink", volume.spec.claim_name),
                format!("set at least {size}"),
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses another storage class. Where none is set, the API server has recorded the default class.
fn same_class(
    volume: &Volume<'_>,
    create: &NewClaimSpec,
    spec: &PersistentVolumeClaimSpec,
) -> Result<(), PlanError> {
    match (&create.storage_class_name, &spec.storage_class_name) {
        (Some(wanted), present) if Some(wanted) != present.as_ref() => {
            let present = present.as_deref().unwrap_or_default();
            Err(PlanError::invalid(
                volume.at("storageClassName"),
                format!(
                    "the claim {} is of class {present:?}, and volumes do not move",
                    volume.spec.claim_name
                ),
                format!("set it to {present:?}, or name another claim and copy the data"),
            ))
        }
        _ => Ok(()),
    }
}

fn same_mode(
    volume: &Volume<'_>,
    create: &NewClaimSpec,
    spec: &PersistentVolumeClaimSpec,
) -> Result<(), PlanError> {
    let present = spec.access_modes.clone().unwrap_or_default();
    if present == [create.access_mode.unwrap_or_default().as_str()] {
        return Ok(());
    }
    Err(PlanError::invalid(
        volume.at("accessMode"),
        format!("the claim {} is {}, which cannot change", volume.spec.claim_name, present.join(", ")),
        "restore it, or name another claim and copy the data",
    ))
}

fn foreign(volume: &Volume<'_>) -> PlanError {
    PlanError::invalid(
        format_args!("{}.create", volume.field),
        format!("the claim {} exists and was not created for this Harbor", volume.spec.claim_name),
        "remove it to use the claim as it is, or name another claim",
    )
}

fn contradiction(volume: &Volume<'_>) -> PlanError {
    PlanError::invalid(
        format_args!("{}.create", volume.field),
        format!("another volume creates the claim {} in another way", volume.spec.claim_name),
        "say the same of both, or name another claim",
    )
}

impl Volume<'_> {
    fn at(&self, field: &str) -> String {
        format!("{}.create.{field}", self.field)
    }
}
