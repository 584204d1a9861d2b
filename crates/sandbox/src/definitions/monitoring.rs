//! The Prometheus operator. It has no stand-in, because a monitor has no status to reach.

use super::builder::{Definition, anything, list, open, text};
use serde_json::json;

pub(super) fn service_monitor() -> Definition {
    let endpoint = open([("port", text()), ("path", text()), ("interval", text()), ("scheme", text())], &[]);
    Definition {
        group: "monitoring.coreos.com",
        versions: &["v1"],
        kind: "ServiceMonitor",
        plural: "servicemonitors",
        short: &["smon"],
        category: Some("prometheus-operator"),
        scope: "Namespaced",
        columns: &[],
        subresources: json!({"status": {}}),
        spec: open(
            [("endpoints", list(endpoint)), ("selector", anything()), ("jobLabel", text())],
            &["endpoints", "selector"],
        ),
        status: anything(),
    }
}
