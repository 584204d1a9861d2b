//! The volume of each server.

use k8s_openapi::{
    api::core::v1::{PersistentVolumeClaimSpec, VolumeResourceRequirements},
    apimachinery::pkg::api::resource::Quantity,
};

/// Size of a volume unless said otherwise.
const SIZE: &str = "1Gi";

/// A claim of this size and class; empty is unset.
pub(super) fn claim(size: Option<&str>, class: Option<&str>) -> PersistentVolumeClaimSpec {
    let set = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    let size = Quantity(set(size).unwrap_or_else(|| SIZE.to_owned()));
    PersistentVolumeClaimSpec {
        access_modes: Some(vec!["ReadWriteOnce".into()]),
        resources: Some(VolumeResourceRequirements {
            requests: Some([("storage".to_owned(), size)].into()),
            ..VolumeResourceRequirements::default()
        }),
        storage_class_name: set(class),
        ..PersistentVolumeClaimSpec::default()
    }
}
