//! Volumes.

use super::defaults::int;
use k8s_openapi::{
    api::core::v1::{EmptyDirVolumeSource, Volume},
    apimachinery::pkg::api::resource::Quantity,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use std::{borrow::Cow, collections::BTreeMap};

/// A PersistentVolumeClaim: one that exists, or one the operator creates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeSpec {
    /// Name of the claim, in the same namespace. For more than one pod it must be ReadWriteMany.
    pub claim_name: String,

    /// Whether the volume is mounted read-only. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,

    /// Directory within the volume. Its root unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Has the operator create the claim. Unless set, the claim must exist. A claim that the operator created is deleted with
    /// the Harbor only under `deletionPolicy: Delete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<NewClaimSpec>,
}

/// What a claim asks for that the operator creates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewClaimSpec {
    /// Size of the volume, such as 100Gi. It may grow, if its class lets it, and never shrinks.
    #[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$"))]
    pub size: String,

    /// StorageClass of the volume. The cluster's default class unless set. Cannot be changed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// How many nodes and pods can mount it at once. ReadWriteOnce unless set; for more than one pod, ReadWriteMany. Cannot
    /// be changed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClaimAccessMode")]
    pub access_mode: Option<ClaimAccessMode>,

    /// Annotations added to the claim.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// How many nodes and pods can mount a volume at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ClaimAccessMode {
    /// Pods of one node.
    #[default]
    ReadWriteOnce,
    /// One pod.
    ReadWriteOncePod,
    /// Pods of every node.
    ReadWriteMany,
}

impl ClaimAccessMode {
    /// The mode as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadWriteOnce => "ReadWriteOnce",
            Self::ReadWriteOncePod => "ReadWriteOncePod",
            Self::ReadWriteMany => "ReadWriteMany",
        }
    }
}

/// The PersistentVolumeClaim images are stored on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryPersistentVolumeSpec {
    /// The claim.
    #[serde(flatten)]
    pub volume: PersistentVolumeSpec,

    /// Most file operations the registry runs at once. At least 25, defaults to 100.
    #[serde(default = "int::<100>", rename = "maxthreads")]
    #[schemars(range(min = 25))]
    pub max_threads: i32,
}

/// Any source a pod's volume may have: a [`Volume`] that has no name yet.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct VolumeSource(Box<Volume>);

impl VolumeSource {
    /// A scratch directory of limited size that lives as long as its pod.
    pub fn empty_dir(size_limit: &str) -> Self {
        let empty_dir =
            EmptyDirVolumeSource { size_limit: Some(Quantity(size_limit.to_owned())), medium: None };
        Self(Box::new(Volume { empty_dir: Some(empty_dir), ..Volume::default() }))
    }

    /// The volume of that name with this source.
    pub fn volume(&self, name: &str) -> Volume {
        Volume { name: name.to_owned(), ..*self.0.clone() }
    }
}

impl From<Volume> for VolumeSource {
    fn from(volume: Volume) -> Self {
        Self(Box::new(Volume { name: String::new(), ..volume }))
    }
}

impl Serialize for VolumeSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut volume = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        if let Some(fields) = volume.as_object_mut() {
            fields.remove("name");
        }
        volume.serialize(serializer)
    }
}

impl JsonSchema for VolumeSource {
    fn schema_name() -> Cow<'static, str> {
        "VolumeSource".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Volume::json_schema(generator);
        if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
            properties.remove("name");
        }
        schema.remove("required");
        schema
    }
}

/// A volume for files that may be lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScratchVolumeSpec {
    /// The volume. Defaults to a scratch directory of 1Gi. A volume that leads to the node or holds a token of a
    /// ServiceAccount is refused unless the operator runs with `--allow-privileged-pods`.
    #[serde(default = "one_gibibyte")]
    pub volume_source: VolumeSource,

    /// Directory within the volume. Its root unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

fn one_gibibyte() -> VolumeSource {
    VolumeSource::empty_dir("1Gi")
}

default_is_the_empty_object!(ScratchVolumeSpec);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_volume_source_has_no_name_on_the_wire() {
        let stored = json!({"persistentVolumeClaim": {"claimName": "images"}});

        let source: VolumeSource = serde_json::from_value(stored.clone()).unwrap();

        assert_eq!(source.volume("data").name, "data");
        assert_eq!(VolumeSource::from(source.volume("data")), source);
        assert_eq!(serde_json::to_value(&source).unwrap(), stored);
    }

    #[test]
    fn a_scratch_directory_says_how_large_it_may_grow() {
        let source = VolumeSource::empty_dir("1Gi");

        assert_eq!(serde_json::to_value(&source).unwrap(), json!({"emptyDir": {"sizeLimit": "1Gi"}}));
    }
}
