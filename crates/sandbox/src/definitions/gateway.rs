//! The Gateway API.

use super::builder::{AGE, Definition, anything, conditions, list, number, open, text};
use serde_json::json;

pub(super) fn http_route() -> Definition {
    let reference = || {
        open(
            [
                ("group", text()),
                ("kind", text()),
                ("name", text()),
                ("namespace", text()),
                ("port", number(1)),
            ],
            &["name"],
        )
    };
    let rule = open([("matches", list(anything())), ("backendRefs", list(reference()))], &[]);
    let parent = open(
        [("parentRef", reference()), ("controllerName", text()), ("conditions", conditions())],
        &["parentRef", "controllerName"],
    );
    Definition {
        group: "gateway.networking.k8s.io",
        versions: &["v1", "v1beta1"],
        kind: "HTTPRoute",
        plural: "httproutes",
        short: &[],
        category: Some("gateway-api"),
        scope: "Namespaced",
        columns: &[("Hostnames", "string", ".spec.hostnames"), AGE],
        subresources: json!({"status": {}}),
        spec: open(
            [("parentRefs", list(reference())), ("hostnames", list(text())), ("rules", list(rule))],
            &[],
        ),
        status: open([("parents", list(parent))], &["parents"]),
    }
}
