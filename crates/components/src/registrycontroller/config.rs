//! `config.yml` of the registry controller.

use super::{Validated, container::TLS_DIRECTORY};
use crate::{pods::Scheme, values::to_yaml};
use k8s_openapi::api::core::v1::ConfigMap;
use plan::PlanError;
use serde::Serialize;

/// Key of the ConfigMap, and name of the file.
pub(super) const FILE: &str = "config.yml";

/// The ConfigMap with the configuration file. `registry_config` is the path of the registry's own.
pub(crate) fn config_map(
    controller: &Validated<'_>,
    registry_config: &'static str,
) -> Result<ConfigMap, PlanError> {
    let file = File {
        protocol: controller.scheme().as_str(),
        port: controller.scheme().container_port(),
        https_config: https(controller.scheme()),
        log_level: controller.spec.log.as_ref().map(|log| log.level).unwrap_or_default().as_str(),
        registry_config,
    };
    Ok(controller.instance.config_map(FILE, to_yaml(&file)?))
}

#[derive(Serialize)]
struct File {
    protocol: &'static str,
    port: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    https_config: Option<Https>,
    log_level: &'static str,
    registry_config: &'static str,
}

#[derive(Serialize)]
struct Https {
    cert: String,
    key: String,
}

fn https(scheme: Scheme) -> Option<Https> {
    let file = |name| format!("{TLS_DIRECTORY}/{name}");
    match scheme {
        Scheme::Http => None,
        Scheme::Https => Some(Https { cert: file("tls.crt"), key: file("tls.key") }),
    }
}
