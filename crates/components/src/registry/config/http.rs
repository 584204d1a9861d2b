//! The registry's HTTP server.

use super::Disabled;
use crate::{
    registry::{PORT, TLS_DIRECTORY},
    values::whole_seconds,
};
use api::v1beta1::{
    GoDuration,
    registry::http::{RegistryHttpDebugSpec, RegistryHttpNet, RegistryHttpSpec},
};
use plan::{All, PlanError};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Http {
    addr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    relativeurls: bool,
    draintimeout: GoDuration,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, Vec<String>>,
    http2: Disabled,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<Debug>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<Tls>,
}

#[derive(Serialize)]
struct Debug {
    addr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prometheus: Option<Prometheus>,
}

#[derive(Serialize)]
struct Prometheus {
    enabled: bool,
    path: String,
}

#[derive(Serialize)]
struct Tls {
    certificate: String,
    key: String,
    minimumtls: &'static str,
}

impl Http {
    pub(super) fn of(spec: Option<&RegistryHttpSpec>) -> Result<Self, PlanError> {
        let spec = spec.cloned().unwrap_or_default();
        let drain = drain_timeout(&spec);
        (reachable(&spec), whole_seconds(&drain, "spec.http.drainTimeout")).all()?;
        let set = |text: &String| !text.is_empty();
        Ok(Self {
            addr: format!(":{PORT}"),
            host: spec.host.filter(set),
            prefix: spec.prefix.filter(set),
            relativeurls: spec.relative_urls,
            draintimeout: drain,
            headers: spec.headers,
            http2: Disabled { disabled: spec.http2.is_some_and(|http2| http2.disabled) },
            debug: spec.debug.map(debug),
            tls: spec.tls.map(|_| Tls {
                certificate: format!("{TLS_DIRECTORY}/tls.crt"),
                key: format!("{TLS_DIRECTORY}/tls.key"),
                minimumtls: "tls1.2",
            }),
        })
    }
}

/// How long uploads may take to end when a pod terminates. Without it, the registry aborts them immediately.
pub(in crate::registry) fn drain_timeout(spec: &RegistryHttpSpec) -> GoDuration {
    spec.drain_timeout.clone().unwrap_or_else(|| "60s".into())
}

/// Refuses a Unix socket, which no Service can reach.
fn reachable(spec: &RegistryHttpSpec) -> Result<(), PlanError> {
    match spec.net {
        RegistryHttpNet::Tcp => Ok(()),
        RegistryHttpNet::Unix => Err(PlanError::invalid(
            "spec.http.net",
            "a Unix socket cannot be reached from outside the container",
            "use tcp, or leave it out",
        )),
    }
}

fn debug(spec: RegistryHttpDebugSpec) -> Debug {
    let prometheus = spec.prometheus.map(|it| Prometheus { enabled: it.enabled, path: it.path });
    Debug { addr: format!(":{}", spec.port), prometheus }
}
