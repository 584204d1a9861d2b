//! Volumes that hold configuration and secrets, and where they are mounted.

use k8s_openapi::api::core::v1::{
    ConfigMapProjection, ConfigMapVolumeSource, EmptyDirVolumeSource, KeyToPath, ProjectedVolumeSource,
    SecretProjection, SecretVolumeSource, Volume, VolumeMount, VolumeProjection,
};
use plan::PlanError;

/// A volume with some keys of a Secret, each as a file. A key that is not mounted cannot leak, and a change of
/// it restarts nothing.
pub(crate) fn secret_volume(name: &str, secret: &str, files: &[(&str, &str)]) -> Volume {
    Volume {
        name: name.into(),
        secret: Some(SecretVolumeSource {
            secret_name: Some(secret.into()),
            items: Some(files.iter().map(|(key, path)| item(key, path)).collect()),
            ..SecretVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// Like [`secret_volume`], for keys that a Secret need not have.
pub(crate) fn optional_secret_volume(name: &str, from: &str, files: &[(&str, &str)]) -> Volume {
    let mut volume = secret_volume(name, from, files);
    volume.secret.get_or_insert_default().optional = Some(true);
    volume
}

/// A volume with some keys of a Secret, and one key of a ConfigMap called `copy` under another path.
pub(crate) fn projected_volume(
    name: &str,
    (secret, files): (&str, &[(&str, &str)]),
    (copy, key, path): (&str, &str, &str),
) -> Volume {
    let items = |files: &[(&str, &str)]| Some(files.iter().map(|(key, path)| item(key, path)).collect());
    let secret = (!files.is_empty()).then(|| VolumeProjection {
        secret: Some(SecretProjection { name: secret.into(), items: items(files), optional: None }),
        ..VolumeProjection::default()
    });
    let copy = VolumeProjection {
        config_map: Some(ConfigMapProjection {
            name: copy.into(),
            items: items(&[(key, path)]),
            optional: None,
        }),
        ..VolumeProjection::default()
    };
    Volume {
        name: name.into(),
        projected: Some(ProjectedVolumeSource {
            sources: Some(secret.into_iter().chain([copy]).collect()),
            ..ProjectedVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// A volume with one key of a ConfigMap.
pub(crate) fn config_map_volume(name: &str, config_map: &str, key: &str) -> Volume {
    Volume {
        name: name.into(),
        config_map: Some(ConfigMapVolumeSource {
            name: config_map.into(),
            items: Some(vec![item(key, key)]),
            ..ConfigMapVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// An empty volume that is deleted with its pod.
pub(crate) fn scratch_volume(name: &str) -> Volume {
    Volume { name: name.into(), empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() }
}

fn item(key: &str, path: &str) -> KeyToPath {
    KeyToPath { key: key.into(), path: path.into(), mode: None }
}

/// Mounts a volume as a directory, read-only.
pub(crate) fn directory_mount(volume: &str, path: impl Into<String>) -> VolumeMount {
    VolumeMount {
        name: volume.into(),
        mount_path: path.into(),
        read_only: Some(true),
        ..VolumeMount::default()
    }
}

/// Mounts a volume as a writable directory.
pub(crate) fn writable_mount(volume: &str, path: impl Into<String>) -> VolumeMount {
    VolumeMount { read_only: None, ..directory_mount(volume, path) }
}

/// Mounts one file of a volume. The kubelet never updates it in a running container, but a change of its
/// content restarts the pod.
pub(crate) fn file_mount(volume: &str, file: &str, path: impl Into<String>) -> VolumeMount {
    VolumeMount { sub_path: Some(file.into()), ..directory_mount(volume, path) }
}

/// The directory in a volume that a spec names in `field`; `None` for the root of the volume.
///
/// Kubernetes refuses a path that begins with a slash or leads out of the volume.
pub(crate) fn sub_path(prefix: Option<&str>, field: &str) -> Result<Option<String>, PlanError> {
    let path = prefix.unwrap_or_default().trim_matches('/');
    if path.split('/').any(|part| part == "..") {
        return Err(PlanError::invalid(field, "leads out of the volume", "name a directory without `..`"));
    }
    Ok(Some(path).filter(|path| !path.is_empty()).map(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_directory_within_the_volume() {
        for (prefix, expected) in [(None, None), (Some("/"), None), (Some("/a/b/"), Some("a/b"))] {
            assert_eq!(sub_path(prefix, "spec.prefix"), Ok(expected.map(String::from)));
        }
        let error = sub_path(Some("a/../../b"), "spec.prefix").unwrap_err().to_string();
        assert!(error.starts_with("spec.prefix: leads out of the volume"), "{error}");
    }
}
