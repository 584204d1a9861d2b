//! Where data is, in words for messages.
//!
//! Another bucket is another location. Another host is not: it may be another name of the same server.

use api::v1beta1::{
    registry::storage::{RegistryFilesystemSpec, RegistryStorageDriverSpec},
    storage::{AzureSpec, GcsSpec, OssSpec, S3Spec, SwiftSpec},
};

/// The location of images.
pub(crate) fn location_of_images(store: &RegistryStorageDriverSpec) -> String {
    let RegistryStorageDriverSpec { filesystem, s3, swift, azure, gcs, oss, in_memory: _ } = store;
    match (s3, swift, azure, gcs, oss, filesystem) {
        (Some(S3Spec { bucket, root_directory, .. }), ..) => {
            within("the S3 bucket", Some(bucket), root_directory.as_deref())
        }
        (_, Some(SwiftSpec { container, prefix, .. }), ..) => {
            within("the Swift container", Some(container), prefix.as_deref())
        }
        (_, _, Some(AzureSpec { container, path_prefix, .. }), ..) => {
            within("the Azure container", container.as_deref(), Some(path_prefix))
        }
        (_, _, _, Some(GcsSpec { bucket, path_prefix, .. }), ..) => {
            within("the Google bucket", bucket.as_deref(), path_prefix.as_deref())
        }
        (_, _, _, _, Some(OssSpec { bucket, path_prefix, .. }), _) => {
            within("the OSS bucket", Some(bucket), path_prefix.as_deref())
        }
        (.., Some(RegistryFilesystemSpec { volume_source, prefix, .. })) => {
            let claim = volume_source.volume("").persistent_volume_claim;
            match claim {
                Some(claim) => within("the volume", Some(&claim.claim_name), prefix.as_deref()),
                None => "a volume that is no claim".to_owned(),
            }
        }
        (None, None, None, None, None, None) => "memory".to_owned(),
    }
}

fn within(kind: &str, name: Option<&str>, directory: Option<&str>) -> String {
    let name = name.unwrap_or_default();
    match directory.map(|directory| directory.trim_matches('/')).filter(|it| !it.is_empty()) {
        Some(directory) => format!("directory {directory:?} of {kind} {name:?}"),
        None => format!("{kind} {name:?}"),
    }
}
