//! The version and the health of the server.

use super::served::Group;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// `/version`
pub(super) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "33",
        "gitVersion": "v1.33.0-sandbox",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, architecture()),
    })
}

/// The processor architecture as Go names it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// `/healthz`, `/livez`, `/readyz` and their single checks; none for a check that does not exist.
pub(super) fn health(path: &str, verbose: bool) -> Option<String> {
    let (probe, check) = path.strip_prefix('/')?.split_once('/').unwrap_or((path.strip_prefix('/')?, ""));
    if !matches!(probe, "healthz" | "livez" | "readyz") {
        return None;
    }
    match check {
        "" if verbose => {
            let mut report = String::new();
            for check in CHECKS {
                let _ = writeln!(report, "[+]{check} ok");
            }
            let _ = writeln!(report, "{probe} check passed");
            Some(report)
        }
        "" => Some("ok".to_owned()),
        check => CHECKS.contains(&check).then(|| "ok".to_owned()),
    }
}

/// `/`: every path that answers.
pub(super) fn paths(groups: &[Group]) -> Value {
    let mut paths: Vec<String> =
        ["/api", "/apis", "/apis/", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"]
            .map(str::to_owned)
            .to_vec();
    for probe in ["/healthz", "/livez", "/readyz"] {
        paths.push(probe.to_owned());
        paths.extend(CHECKS.map(|check| format!("{probe}/{check}")));
    }
    for group in groups {
        if !group.name.is_empty() {
            paths.push(format!("/apis/{}", group.name));
        }
        paths.extend(group.versions.iter().map(super::served::Version::root));
    }
    paths.sort();
    json!({"paths": paths})
}
