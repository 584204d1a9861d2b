//! Settings that are fixed when Harbor is installed.

use std::collections::BTreeMap;

/// How a Harbor was installed: what its API shows of its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The address that users see, without a slash at the end.
    pub external_url: String,
    /// The address of Core that the job service uses. Replication policies show it as the local registry.
    pub core_url: String,
    /// What follows the version in `harbor_version`.
    pub commit: String,
    /// The storage of the registry, such as `filesystem` or `s3`.
    pub storage: String,
    /// The Redis URL that garbage collections before 2.15.1 show in their history.
    pub registry_cache_url: String,
    /// Whether a root certificate can be downloaded.
    pub has_ca_root: bool,
    /// `JOBSERVICE_SECRET`. A request with this Harbor-Secret can read the whole configuration.
    pub jobservice_secret: String,
    /// `CONFIG_OVERWRITE_JSON`: while it is set, no setting can be changed.
    pub configuration_overwrite: Option<BTreeMap<String, serde_json::Value>>,
}

impl Default for Installation {
    fn default() -> Self {
        Self {
            external_url: "http://harbor.example.com".to_owned(),
            core_url: "http://harbor-core:80".to_owned(),
            commit: "00000000".to_owned(),
            storage: "filesystem".to_owned(),
            registry_cache_url: "redis://redis:6379/1?idle_timeout_seconds=30".to_owned(),
            has_ca_root: false,
            jobservice_secret: "jobservice-secret".to_owned(),
            configuration_overwrite: None,
        }
    }
}

impl Installation {
    /// The host and port of the external URL.
    pub(crate) fn registry_host(&self) -> &str {
        self.external_url.split_once("://").map_or(self.external_url.as_str(), |(_, host)| host)
    }
}
