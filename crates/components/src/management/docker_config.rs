//! What pods log in to a Harbor with.

use super::registry_host::registry_host;
use api::v1beta1::{
    HarborRobot,
    harborrobot::{RobotSecret, RobotSecretType},
};
use k8s_openapi::ByteString;
use kube::ResourceExt as _;
use plan::PlanError;
use serde_json::{Value, json};

/// The key of Secrets that pods pull images with.
pub(crate) const DOCKER_CONFIG: &str = ".dockerconfigjson";
/// The type of Secrets that pods pull images with.
pub(crate) const DOCKER_CONFIG_TYPE: &str = "kubernetes.io/dockerconfigjson";

/// The value of [`DOCKER_CONFIG`] for a Harbor that users know by this URL.
pub(crate) fn docker_config(external_url: &str, login: &str, password: &str) -> Result<String, PlanError> {
    let host = registry_host(external_url)?;
    let auth = base64(&format!("{login}:{password}"));
    Ok(json!({"auths": {host: {"username": login, "password": password, "auth": auth}}}).to_string())
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
