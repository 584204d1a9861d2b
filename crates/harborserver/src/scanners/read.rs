//! Reading scanners.

use super::{ADAPTER, Listed, Scanner};
use crate::{
    call::Call,
    failure::Failure,
    network::Answer,
    rest::{Reply, Shown},
    state::Id,
    version::Change,
};
use serde_json::{Value, json};

pub(crate) fn missing(uuid: &str) -> Failure {
    Failure::not_found(format!("scanner {uuid} not found"))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    call.on_system("scanner", "list")?;
    let version = call.version();
    let scanners = call.data.scanners.iter().map(|(_, scanner)| Listed(scanner));
    call.listed(&filter, "-create_time", scanners, |scanner| scanner.0.show(version).into())
}

/// The scanner that the path names.
pub(super) fn found<'a>(call: &'a Call<'_>) -> Result<(Id<Scanner>, &'a Scanner), Failure> {
    let uuid = call.parameter("registration_id");
    call.data.scanners.find(|scanner| scanner.uuid == uuid).ok_or_else(|| missing(uuid))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("scanner", "read")?;
    Ok(Reply::json(found(call)?.1.show(call.version())))
}

/// What the adapter says of itself.
pub(super) fn metadata(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("scanner", "read")?;
    let (_, scanner) = found(call)?;
    if call.runtime.network.call(&scanner.wanted.url(), None) == Answer::Silent {
        return Err(Failure::internal());
    }
    let (name, vendor, version) = ADAPTER;
    let capability: Value = Shown::new()
        .when(call.has(Change::Sbom), "type", "")
        .with(
            "consumes_mime_types",
            vec![
                "application/vnd.oci.image.manifest.v1+json",
                "application/vnd.docker.distribution.manifest.v2+json",
            ],
        )
        .with(
            "produces_mime_types",
            vec![
                "application/vnd.security.vulnerability.report; version=1.1",
                "application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0",
            ],
        )
        .into();
    Ok(Reply::json(json!({
        "scanner": { "name": name, "vendor": vendor, "version": version },
        "capabilities": [capability],
    })))
}
