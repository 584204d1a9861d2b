use super::{Shown, plain, secured, service_spec};
use api::v1beta1::network::{IpFamilyPolicy, Network};
use serde_json::{Value, json};

fn service(shown: &Shown) -> Value {
    serde_json::to_value(shown.front().unwrap().service()).unwrap()
}

fn selector() -> Value {
    json!({"nginx.goharbor.io/name": "h-harbor-nginx", "nginx.goharbor.io/namespace": "registry"})
}

#[test]
fn a_service_for_which_nothing_is_requested_is_inside_the_cluster() {
    assert_eq!(
        service(&plain()),
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "h-harbor-nginx", "namespace": "registry"},
            "spec": {
                "type": "ClusterIP",
                "selector": selector(),
                "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}],
                "ipFamilyPolicy": "SingleStack",
            },
        })
    );
}

#[test]
fn everything_that_can_be_requested_is_in_the_service() {
    let shown = Shown {
        service: service_spec(json!({
            "type": "LoadBalancer",
            "name": "harbor",
            "httpPort": 8000,
            "httpsPort": 8001,
            "httpNodePort": 30002,
            "httpsNodePort": 30003,
            "clusterIP": "10.0.0.7",
            "loadBalancerIP": "192.0.2.1",
            "loadBalancerSourceRanges": ["198.51.100.0/24"],
            "annotations": {"example.com/lb": "internal"},
            "labels": {"example.com/team": "registry"},
        })),
        network: Some(Network {
            ip_families: vec!["IPv6".into(), "IPv4".into()],
            ip_family_policy: Some(IpFamilyPolicy::PreferDualStack),
        }),
        ..secured()
    };
    assert_eq!(
        service(&shown),
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "harbor",
                "namespace": "registry",
                "annotations": {"example.com/lb": "internal"},
                "labels": {"example.com/team": "registry"},
            },
            "spec": {
                "type": "LoadBalancer",
                "selector": selector(),
                "ports": [
                    {"name": "http", "port": 8000, "nodePort": 30002, "protocol": "TCP", "targetPort": "http"},
                    {"name": "https", "port": 8001, "nodePort": 30003, "protocol": "TCP", "targetPort": "https"},
                ],
                "clusterIP": "10.0.0.7",
                "ipFamilies": ["IPv6", "IPv4"],
                "ipFamilyPolicy": "PreferDualStack",
                "loadBalancerIP": "192.0.2.1",
                "loadBalancerSourceRanges": ["198.51.100.0/24"],
            },
        })
    );
}
