//! Scans of single artifacts. The stand-in for a scanner finds one vulnerability in each.

use super::Artifact;
use crate::{
    call::Call,
    clock::whole_seconds,
    entropy::{Seeded, uuid},
    failure::Failure,
    jobs::{Run, Trigger, Vendor},
    rest::{Content, Reply, go_struct},
    scanners::ADAPTER,
    version::Change,
};
use http::StatusCode;
use serde_json::{Map, Value, json};

go_struct! {
    ScanRequest = "ScanType" { scan_type: String }
    rules = |wanted| {
        let known = ["", "vulnerability", "sbom"].contains(&wanted.scan_type.as_str());
        let rule = || "scan_type in body should be one of [vulnerability sbom]".to_owned();
        (!known).then(rule).into_iter().collect()
    }
}

pub(super) fn start(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let _: Option<ScanRequest> = call.optional_body("scanType")?;
    let (_, id) = call.artifact("scan", "create")?;
    let artifact = call.data.artifacts.get(id).ok_or_else(Failure::internal)?;
    let chosen = call.data.projects.get(artifact.project).and_then(|project| project.scanner);
    if chosen.is_none() && call.data.default_scanner().is_none() {
        return Err(Failure::precondition("no available scanner for project"));
    }
    let run = Run {
        vendor: Vendor::ImageScan,
        vendor_id: id.number(),
        trigger: Trigger::Manual,
        parameters: Map::new(),
        tasks: vec![Map::new()],
        duration: call.runtime.job_duration,
    };
    let execution = call.data.jobs.run(run, &mut *call.runtime.entropy, call.now);
    if let Some(artifact) = call.data.artifacts.get_mut(id) {
        artifact.scan = Some(execution);
    }
    Ok(Reply::new(StatusCode::ACCEPTED, Content::Nothing))
}

/// What the newest scan of an artifact found.
pub(super) fn overview(call: &Call<'_>, artifact: &Artifact) -> Option<Value> {
    let id = artifact.scan?;
    let execution = call.data.jobs.executions.get(id)?;
    let media_type = if call.has(Change::NewScanReports) {
        "application/vnd.security.vulnerability.report; version=1.1"
    } else {
        "application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0"
    };
    let (name, vendor, version) = ADAPTER;
    let report = uuid(&mut Seeded::new(id.number().unsigned_abs()));
    let mut shown = json!({
        "report_id": report,
        "scan_status": execution.status.name(),
        "scanner": { "name": name, "vendor": vendor, "version": version },
        "start_time": whole_seconds(execution.started),
        "complete_percent": if execution.is_running() { 0 } else { 100 },
    });
    if let Some(ended) = execution.ended {
        shown["end_time"] = whole_seconds(ended).into();
        shown["duration"] = ended.duration_since(execution.started).as_secs().into();
        shown["severity"] = "High".into();
        shown["summary"] = json!({ "total": 1, "fixable": 1, "summary": { "High": 1 } });
    }
    Some(json!({ media_type: shown }))
}
