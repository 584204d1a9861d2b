//! Projects as bodies describe them.

use super::metadata_keys::{KEYS, keys};
use crate::{
    rest::{Decode, Place, go_struct},
    version::Version,
};
use serde_json::Value;
use std::collections::BTreeMap;

go_struct! {
    /// A project as bodies describe it.
    ProjectRequest = "ProjectReq" {
        project_name: String,
        public: Option<bool>,
        metadata: Option<MetadataRequest>,
        cve_allowlist: Option<AllowlistRequest>,
        storage_limit: Option<i64>,
        registry_id: Option<i64>,
    }
    rules = |project| {
        let long = project.project_name.chars().count() > 255;
        long.then(|| "project_name in body should be at most 255 chars long".to_owned()).into_iter().collect()
    }
}

go_struct! {
    /// A list of vulnerabilities to overlook.
    AllowlistRequest = "CVEAllowlist" { items: Vec<AllowlistItem>, expires_at: Option<i64> }
}

go_struct! { AllowlistItem = "CVEAllowlistItem" { cve_id: String } }

/// Metadata as bodies have it: texts only.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct MetadataRequest(BTreeMap<&'static str, String>);

impl Decode for MetadataRequest {
    const GO: &'static str = "models.ProjectMetadata";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        let object = value.as_object().ok_or_else(|| place.mismatch(value, Self::GO))?;
        let mut values = BTreeMap::new();
        for key in KEYS {
            let text: String = place.read(object, "ProjectMetadata", key.name)?;
            if !text.is_empty() {
                values.insert(key.name, text);
            }
        }
        Ok(Self(values))
    }
}

impl MetadataRequest {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// What a project of this version and kind keeps of it.
    pub fn kept(&self, version: Version, proxy: bool) -> impl Iterator<Item = (String, String)> {
        keys(version)
            .filter(move |key| key.kept_by(proxy))
            .filter_map(|key| self.0.get(key.name).map(|value| (key.name.to_owned(), value.clone())))
    }
}
