//! The health checks of the registry. While one fails, the registry answers every request with 503.

use crate::values::{go_duration, whole_seconds};
use api::v1beta1::{
    GoDuration,
    registry::health::{
        RegistryFileCheckSpec, RegistryHealthSpec, RegistryHttpCheckSpec, RegistryTcpCheckSpec,
    },
};
use plan::{All, PlanError};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Health<'a> {
    storagedriver: StorageCheck,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file: Vec<FileCheck<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    http: Vec<HttpCheck<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tcp: Vec<TcpCheck<'a>>,
}

#[derive(Serialize)]
struct StorageCheck {
    enabled: bool,
    interval: GoDuration,
    threshold: i32,
}

#[derive(Serialize)]
struct FileCheck<'a> {
    file: &'a str,
    interval: &'a str,
}

#[derive(Serialize)]
struct HttpCheck<'a> {
    uri: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: &'a BTreeMap<String, Vec<String>>,
    statuscode: i32,
    timeout: &'a str,
    interval: &'a str,
    threshold: i32,
}

#[derive(Serialize)]
struct TcpCheck<'a> {
    addr: &'a str,
    timeout: &'a str,
    interval: &'a str,
    threshold: i32,
}

impl<'a> Health<'a> {
    /// The checks of a spec. The storage is checked by default.
    pub(super) fn of(spec: Option<&'a RegistryHealthSpec>) -> Result<Self, PlanError> {
        let storage = spec.and_then(|spec| spec.storage_driver.clone()).unwrap_or_default();
        let storage_interval = whole_seconds(&storage.interval, "spec.health.storageDriver.interval");
        let (_, file, http, tcp) = (
            storage_interval,
            each(spec.map(|spec| &*spec.file), FileCheck::of),
            each(spec.map(|spec| &*spec.http), HttpCheck::of),
            each(spec.map(|spec| &*spec.tcp), TcpCheck::of),
        )
            .all()?;
        Ok(Self {
            storagedriver: StorageCheck {
                enabled: storage.enabled,
                interval: storage.interval,
                threshold: storage.threshold,
            },
            file,
            http,
            tcp,
        })
    }
}

fn each<'a, S, T>(
    checks: Option<&'a [S]>,
    of: impl Fn(&'a S) -> Result<T, PlanError>,
) -> Result<Vec<T>, PlanError> {
    checks.unwrap_or_default().iter().map(of).collect::<Vec<_>>().all()
}

impl<'a> FileCheck<'a> {
    fn of(spec: &'a RegistryFileCheckSpec) -> Result<Self, PlanError> {
        let interval = go_duration(&spec.interval, format_args!("spec.health.file[{}].interval", spec.path))?;
        Ok(Self { file: &spec.path, interval })
    }
}

impl<'a> HttpCheck<'a> {
    fn of(spec: &'a RegistryHttpCheckSpec) -> Result<Self, PlanError> {
        let field = |name| format!("spec.health.http[{}].{name}", spec.uri);
        let (timeout, interval) =
            (go_duration(&spec.timeout, field("timeout")), go_duration(&spec.interval, field("interval")))
                .all()?;
        Ok(Self {
            uri: &spec.uri,
            headers: &spec.headers,
            statuscode: spec.status_code,
            timeout,
            interval,
            threshold: spec.threshold,
        })
    }
}

impl<'a> TcpCheck<'a> {
    fn of(spec: &'a RegistryTcpCheckSpec) -> Result<Self, PlanError> {
        let field = |name| format!("spec.health.tcp[{}].{name}", spec.address);
        let (timeout, interval) =
            (go_duration(&spec.timeout, field("timeout")), go_duration(&spec.interval, field("interval")))
                .all()?;
        Ok(Self { addr: &spec.address, timeout, interval, threshold: spec.threshold })
    }
}
