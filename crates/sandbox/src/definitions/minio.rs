//! MinIO's operator.

use super::builder::{AGE, Definition, anything, boolean, list, number, open, text};
use serde_json::json;

pub(super) fn tenant() -> Definition {
    let pool = open(
        [
            ("name", text()),
            ("servers", number(1)),
            ("volumesPerServer", number(1)),
            ("volumeClaimTemplate", anything()),
        ],
        &["servers", "volumesPerServer", "volumeClaimTemplate"],
    );
    Definition {
        group: "minio.min.io",
        versions: &["v2"],
        kind: "Tenant",
        plural: "tenants",
        short: &["tenant"],
        category: None,
        scope: "Namespaced",
        columns: &[
            ("State", "string", ".status.currentState"),
            ("Health", "string", ".status.healthStatus"),
            AGE,
        ],
        subresources: json!({"status": {}}),
        spec: open(
            [("pools", list(pool)), ("image", text()), ("mountPath", text()), ("requestAutoCert", boolean())],
            &["pools"],
        ),
        status: anything(),
    }
}
