//! The Ingress for each controller.

use super::{Harbor, a_harbor, names, spec};
use crate::cases::Case;
use serde_json::{Value, json};

/// A Harbor behind this controller, served over TLS or not.
fn behind(controller: &str, tls: Value, internal: bool) -> Case<Harbor> {
    let ingress = json!({"host": "harbor.example.com", "controller": controller});
    a_harbor()
        .set("/spec/expose/core", json!({"ingress": ingress, "tls": tls}))
        .set("/spec/internalTLS", json!({"enabled": internal}))
}

fn annotation(case: &Case<Harbor>, key: &str) -> Value {
    case.child("Ingress")["metadata"]["annotations"][key].clone()
}

#[test]
fn users_are_sent_to_tls_where_they_are_served_with_it_whatever_components_do() {
    for (controller, redirect) in
        [("contour", "ingress.kubernetes.io/force-ssl-redirect"), ("ncp", "ncp/http-redirect")]
    {
        for internal in [true, false] {
            assert_eq!(
                annotation(&behind(controller, json!({}), internal), redirect),
                "true",
                "{controller}"
            );
            let clear = behind(controller, Value::Null, internal);
            assert_eq!(annotation(&clear, redirect), Value::Null, "{controller}");
        }
    }
}

#[test]
fn paths_are_in_the_form_that_a_controller_understands() {
    let paths = |controller: &str| {
        let paths =
            spec(&behind(controller, json!({}), false), "Ingress")["rules"][0]["http"]["paths"].clone();
        let shown = |path: &Value| (path["path"].clone(), path["pathType"].clone());
        paths.as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    let expected = |paths: [&str; 5], kind: &str| paths.map(|path| (json!(path), json!(kind))).to_vec();
    for controller in ["default", "contour", "alb", "f5-bigip"] {
        let default = expected(["/api/", "/service/", "/v2", "/c/", "/"], "Prefix");
        assert_eq!(paths(controller), default, "{controller}");
    }
    let regular = ["/api/.*", "/service/.*", "/v2/.*", "/c/.*", "/.*"];
    assert_eq!(paths("ncp"), expected(regular, "Prefix"));
    assert_eq!(annotation(&behind("ncp", json!({}), false), "ncp/use-regex"), "true");
    let wildcards = ["/api/*", "/service/*", "/v2/*", "/c/*", "/*"];
    assert_eq!(paths("gce"), expected(wildcards, "ImplementationSpecific"));
}

#[test]
fn every_controller_reaches_core_and_the_portal_by_the_annotations_of_their_objects() {
    for controller in ["default", "contour", "alb", "f5-bigip", "gce", "ncp"] {
        let case = behind(controller, json!({}), false);
        assert_eq!(names(&case, "Ingress"), ["acme-harbor"]);
        for kind in ["Core", "Portal"] {
            let annotations = case.child(kind)["metadata"]["annotations"].clone();
            assert_eq!(annotations["goharbor.io/ingress-controller"], controller, "{kind}");
        }
    }
}
