use super::{Case, Portal, a_portal};
use serde_json::{Value, json};

fn policies(case: &Case<Portal>) -> Vec<Value> {
    case.children().into_iter().filter(|child| child["kind"] == "NetworkPolicy").collect()
}

#[test]
fn a09_network_policies_select_the_pods_and_let_in_only_through_the_port_that_is_served() {
    let case = Case::<Portal>::golden("tls");
    let selector = case.child("Deployment")["spec"]["selector"].clone();
    let specs: Vec<(Value, Value)> = policies(&case)
        .into_iter()
        .map(|policy| (policy["metadata"]["name"].clone(), policy["spec"].clone()))
        .collect();
    let expected = [
        (
            json!("harbor-portal-ingress"),
            json!({
                "podSelector": selector,
                "policyTypes": ["Ingress"],
                "ingress": [{"ports": [{"port": "https", "protocol": "TCP"}]}],
            }),
        ),
        (json!("harbor-portal-egress"), json!({"podSelector": selector, "policyTypes": ["Egress"]})),
    ];
    assert_eq!(specs, expected);
}

#[test]
fn network_policies_are_made_only_where_they_are_asked_for() {
    assert_eq!(policies(&a_portal()), [] as [Value; 0]);
    assert_eq!(policies(&a_portal().annotated("goharbor.io/network-policies", "false")), [] as [Value; 0]);
}

#[test]
fn contour_gets_an_annotation_if_portal_serves_tls_and_only_then() {
    let annotations = |case: Case<Portal>| case.child("Service")["metadata"]["annotations"].clone();
    let annotated = |case: Case<Portal>| case.annotated("goharbor.io/ingress-controller", "contour");
    let expected = json!({"projectcontour.io/upstream-protocol.tls": "https"});
    assert_eq!(annotations(annotated(Case::golden("tls"))), expected);
    assert_eq!(annotations(annotated(a_portal())), Value::Null);
    assert_eq!(annotations(Case::golden("harbor-2.9")), Value::Null);
}

#[test]
fn a_service_always_says_of_how_many_families_it_is() {
    let families = |case: Case<Portal>| {
        let spec = case.child("Service")["spec"].clone();
        (spec["ipFamilyPolicy"].clone(), spec["ipFamilies"].clone())
    };
    let single = (json!("SingleStack"), Value::Null);
    assert_eq!(families(a_portal()), single);
    assert_eq!(families(a_portal().set("/spec/network", json!({"ipFamilies": ["IPv6"]}))), single);
    let both = json!({"ipFamilies": ["IPv6", "IPv4"], "ipFamilyPolicy": "PreferDualStack"});
    let expected = (json!("PreferDualStack"), json!(["IPv6", "IPv4"]));
    assert_eq!(families(a_portal().set("/spec/network", both)), expected);
}
