//! The volume of each server of a service. It can grow, but not shrink or move.

use crate::values::quantity_bytes;
use k8s_openapi::{
    api::core::v1::{PersistentVolumeClaimSpec, VolumeResourceRequirements},
    apimachinery::pkg::api::resource::Quantity,
};
use plan::PlanError;

/// The default size.
const SIZE: &str = "1Gi";

/// A volume that can be created, or that an existing one can become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Volume {
    pub size: String,
    pub class: Option<String>,
}

/// What a spec requests of a volume.
pub(super) struct VolumeRequest<'a> {
    /// The field of the spec.
    pub field: &'a str,
    /// The service that the volumes belong to, for messages.
    pub service: &'static str,
    pub size: Option<&'a str>,
    pub class: Option<&'a str>,
}

impl Volume {
    /// The requested volume, if `existing` can become it. What is not requested stays unchanged.
    pub fn of(request: &VolumeRequest<'_>, existing: Option<Self>) -> Result<Self, PlanError> {
        let field = |name: &str| format!("{}.{name}", request.field);
        let size = request.size.filter(|size| !size.is_empty());
        let class = request.class.filter(|class| !class.is_empty());
        let wanted = quantity_bytes(size.unwrap_or(SIZE)).ok_or_else(|| {
            let problem = format!("{:?} is not the size of a volume", size.unwrap_or_default());
            PlanError::invalid(field("storage"), problem, "write it like 10Gi")
        })?;
        let Some(existing) = existing else {
            return Ok(Self { size: size.unwrap_or(SIZE).to_owned(), class: class.map(ToOwned::to_owned) });
        };
        if size.is_some() && quantity_bytes(&existing.size).is_some_and(|present| wanted < present) {
            return Err(PlanError::invalid(
                field("storage"),
                format!(
                    "the volumes of {} have {}, and volumes do not shrink",
                    request.service, existing.size
                ),
                format!("set at least {}", existing.size),
            ));
        }
        if class.is_some() && class != existing.class.as_deref() {
            let (present, remedy) = match &existing.class {
                Some(class) => (format!("are of class {class}"), format!("set it to {class}")),
                None => ("are of the default class".to_owned(), "remove it".to_owned()),
            };
            return Err(PlanError::invalid(
                field("storageClassName"),
                format!("the volumes of {} {present}, and volumes do not move", request.service),
                remedy,
            ));
        }
        Ok(Self { size: size.map_or(existing.size, ToOwned::to_owned), class: existing.class })
    }

    /// The volume that a claim requests, if the claim has a size.
    pub fn claimed(claim: &PersistentVolumeClaimSpec) -> Option<Self> {
        Some(Self { size: size(claim)?.to_owned(), class: claim.storage_class_name.clone() })
    }

    /// The claim of such a volume, for one server.
    pub fn claim(self) -> PersistentVolumeClaimSpec {
        PersistentVolumeClaimSpec {
            access_modes: Some(vec!["ReadWriteOnce".into()]),
            resources: Some(VolumeResourceRequirements {
                requests: Some([("storage".to_owned(), Quantity(self.size))].into()),
                ..VolumeResourceRequirements::default()
            }),
            storage_class_name: self.class,
            ..PersistentVolumeClaimSpec::default()
        }
    }
}

/// The size that a claim requests.
pub(super) fn size(claim: &PersistentVolumeClaimSpec) -> Option<&str> {
    Some(&claim.resources.as_ref()?.requests.as_ref()?.get("storage")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(size: &str, class: Option<&str>) -> Volume {
        Volume { size: size.into(), class: class.map(Into::into) }
    }

    fn request<'a>(size: Option<&'a str>, class: Option<&'a str>) -> VolumeRequest<'a> {
        VolumeRequest { field: "spec", service: "the database", size, class }
    }

    fn refused(request: &VolumeRequest<'_>, existing: Option<Volume>) -> String {
        Volume::of(request, existing).unwrap_err().to_string()
    }

    #[test]
    fn a_new_volume_is_what_is_requested() {
        assert_eq!(Volume::of(&request(None, None), None), Ok(volume("1Gi", None)));
        assert_eq!(Volume::of(&request(Some(""), Some("")), None), Ok(volume("1Gi", None)));
        assert_eq!(Volume::of(&request(Some("2Ti"), Some("fast")), None), Ok(volume("2Ti", Some("fast"))));
    }

    #[test]
    fn a_volume_that_exists_grows_and_stays_where_nothing_is_requested() {
        let existing = || Some(volume("10Gi", Some("fast")));
        assert_eq!(Volume::of(&request(None, None), existing()), Ok(existing().unwrap()));
        assert_eq!(
            Volume::of(&request(Some("10240Mi"), None), existing()),
            Ok(volume("10240Mi", Some("fast")))
        );
        assert_eq!(Volume::of(&request(Some("0.5Ti"), None), existing()), Ok(volume("0.5Ti", Some("fast"))));
    }

    #[test]
    fn a_size_is_compared_however_it_is_written() {
        for size in ["1073741824", "1Gi", "1024Mi", "1.073741824e9", "1073741824000m"] {
            assert_eq!(quantity_bytes(size), Some(1_073_741_824.0), "{size}");
        }
    }

    #[test]
    fn a_claim_is_read_as_it_is_written() {
        let volume = volume("10Gi", Some("fast"));
        assert_eq!(Volume::claimed(&volume.clone().claim()), Some(volume));
        assert_eq!(Volume::claimed(&PersistentVolumeClaimSpec::default()), None);
    }

    #[test]
    fn a_volume_does_not_shrink() {
        assert_eq!(
            refused(&request(Some("10G"), None), Some(volume("10Gi", None))),
            "spec.storage: the volumes of the database have 10Gi, and volumes do not shrink; set at least 10Gi",
        );
    }

    #[test]
    fn a_volume_does_not_move_to_another_class() {
        assert_eq!(
            refused(&request(None, Some("slow")), Some(volume("1Gi", Some("fast")))),
            "spec.storageClassName: the volumes of the database are of class fast, and volumes do not move; \
             set it to fast",
        );
        assert_eq!(
            refused(&request(None, Some("slow")), Some(volume("1Gi", None))),
            "spec.storageClassName: the volumes of the database are of the default class, and volumes do not \
             move; remove it",
        );
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for size in ["big", "-1Gi", "0", "1m", "1Gi ", "Gi", "inf", "1e999"] {
            let expected = format!("spec.storage: {size:?} is not the size of a volume; write it like 10Gi");
            assert_eq!(refused(&request(Some(size), None), None), expected);
        }
    }
}
