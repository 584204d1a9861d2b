//! What pods log in to a Harbor with.

use super::registry_host::registry_host;
use api::v1beta1::{
    HarborRobot, HarborServerConfiguration,
    harborrobot::{RobotSecret, RobotSecretType},
};
use harborstate::server::Server;
use k8s_openapi::ByteString;
use kube::ResourceExt as _;
use plan::{PlanError, System, World};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The key of Secrets that pods pull images with.
pub(crate) const DOCKER_CONFIG: &str = ".dockerconfigjson";
/// The type of Secrets that pods pull images with.
pub(crate) const DOCKER_CONFIG_TYPE: &str = "kubernetes.io/dockerconfigjson";

/// The hosts of a Harbor, by which container runtimes look up credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryHosts(BTreeSet<String>);

impl RegistryHosts {
    /// The host of the external URL, and that of the HarborServerConfiguration if there is one: rewritten images name the
    /// latter.
    pub fn read(system: &System, server: &Server, world: &World<'_>) -> Result<Self, PlanError> {
        let mut hosts = BTreeSet::from([registry_host(&server.external_url)?.to_owned()]);
        if system.namespace.is_empty()
            && let Some(configuration) = world.read_cluster_wide::<HarborServerConfiguration>(&system.name)?
        {
            hosts.extend(registry_host(&configuration.spec.server_url).ok().map(str::to_owned));
        }
        Ok(Self(hosts))
    }

    /// The value of [`DOCKER_CONFIG`] with these credentials.
    pub fn docker_config(&self, login: &str, password: &str) -> String {
        let auth = base64(&format!("{login}:{password}"));
        let entry = json!({"username": login, "password": password, "auth": auth});
        let auths: Map<_, _> = self.0.iter().map(|host| (host.clone(), entry.clone())).collect();
        json!({ "auths": auths }).to_string()
    }
}

/// The name of the Secret to which the operator writes the credentials of a HarborRobot, and its type.
pub(crate) fn robot_secret(robot: &HarborRobot) -> Option<(String, RobotSecretType)> {
    let RobotSecret { name, type_ } = robot.spec.secret.as_ref()?;
    let name = name.as_ref().map_or_else(|| robot.name_any(), ToString::to_string);
    Some((name, type_.unwrap_or_default()))
}

fn base64(text: &str) -> Value {
    // Bytes always have a JSON form.
    serde_json::to_value(ByteString(text.as_bytes().to_vec())).unwrap_or_default()
}
