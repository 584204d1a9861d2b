use super::{Shown, plain, secured, service_spec};
use api::v1beta1::component::ComponentSpec;
use serde_json::json;

#[test]
fn what_would_have_no_effect_is_refused_all_at_once() {
    let service = service_spec(json!({
        "httpsPort": 8443,
        "httpNodePort": 30002,
        "loadBalancerIP": "192.0.2.1",
        "loadBalancerSourceRanges": ["198.51.100.0/24"],
    }));
    let error = Shown { service, ..plain() }.error();
    let field = "spec.expose.core.service";
    let expected = [
        format!(
            "{field}.httpsPort: is set although users are not served over TLS; set spec.expose.core.tls, or remove httpsPort"
        ),
        format!(
            "{field}.httpNodePort: is set although nodes have no ports for it; set {field}.type to NodePort or LoadBalancer, or remove httpNodePort"
        ),
        format!(
            "{field}.loadBalancerIP: is set although there is no load balancer; set {field}.type to LoadBalancer, or remove loadBalancerIP"
        ),
        format!(
            "{field}.loadBalancerSourceRanges: is set although there is no load balancer; set {field}.type to LoadBalancer, or remove loadBalancerSourceRanges"
        ),
    ];
    assert_eq!(error, expected.join(", "));
}

#[test]
fn ports_of_nodes_are_fine_where_nodes_have_ports() {
    for type_ in ["NodePort", "LoadBalancer"] {
        let service = service_spec(json!({"type": type_, "httpNodePort": 30002, "httpsNodePort": 30003}));
        assert!(Shown { service, ..secured() }.front().is_ok(), "{type_}");
    }
}

#[test]
fn one_port_for_http_and_https_is_refused() {
    let service = service_spec(json!({"httpPort": 443}));
    let error = Shown { service, ..secured() }.error();
    assert_eq!(
        error,
        "spec.expose.core.service.httpsPort: 443 is the port of HTTP too; use another port for one of them"
    );
}

#[test]
fn the_service_of_a_component_is_not_taken_over() {
    let named = |name: &str| Shown { service: service_spec(json!({"name": name})), ..plain() }.error();
    assert_eq!(
        named("h-harbor-core"),
        "spec.expose.core.service.name: \"h-harbor-core\" is the Service of a component; use another name"
    );
    assert!(named("Harbor").starts_with("spec.expose.core.service.name: \"Harbor\" cannot be the name"));
}

#[test]
fn b33_a_harbor_whose_name_leaves_no_room_is_refused() {
    let mut long = plain();
    long.harbor.name = Some("x".repeat(51));
    assert!(long.error().contains("use a name of at most 50 characters"), "{}", long.error());
}

#[test]
fn problems_of_the_pods_name_the_field_of_the_harbor() {
    let pods: ComponentSpec = serde_json::from_value(json!({
        "replicas": 2,
        "autoscaling": {"maxReplicas": 3},
        "templateLabels": {"nginx.goharbor.io/name": "mine"},
    }))
    .unwrap();
    let error = Shown { pods, ..plain() }.error();
    assert!(
        error.contains("spec.nginx.replicas: ") && error.contains("spec.nginx.templateLabels["),
        "{error}"
    );
}
