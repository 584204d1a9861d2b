//! Which children the fields of a Harbor change.

use super::{Harbor, a_harbor, spec};
use crate::cases::Case;
use plan::Component as _;
use serde_json::{Value, json};

#[test]
fn images_come_from_the_image_source_unless_a_component_names_its_own() {
    let case = Case::<Harbor>::golden("harbor-2.5");
    let image = |kind: &str| spec(&case, kind)["image"].clone();
    assert_eq!(image("Core"), "mirror.example.com/goharbor/harbor-core:v2.5.3-hardened");
    assert_eq!(image("Registry"), "mirror.example.com/goharbor/registry-photon:v2.5.3-hardened");
    assert_eq!(image("RegistryController"), "example.com/own/registryctl:mine");
    for kind in ["Core", "RegistryController", "Trivy", "NotarySigner", "ChartMuseum", "Exporter"] {
        assert_eq!(spec(&case, kind)["imagePullPolicy"], "Always", "{kind}");
        assert_eq!(spec(&case, kind)["imagePullSecrets"], json!([{"name": "mirror"}]), "{kind}");
    }
}

#[test]
fn a_new_version_is_a_new_spec_so_that_dependents_of_a_component_wait_for_the_new_one() {
    for kind in ["Core", "JobService", "Registry", "RegistryController", "Portal"] {
        let image = |version| spec(&a_harbor().set("/spec/version", json!(version)), kind)["image"].clone();
        assert_ne!(image("2.14.0"), image("2.15.0"), "{kind}");
    }
    assert_eq!(spec(&a_harbor(), "Core")["image"], "docker.io/goharbor/harbor-core:v2.15.0");
}

#[test]
fn every_component_has_a_redis_database_of_its_own_that_never_changes() {
    let case = Case::<Harbor>::golden("harbor-2.5");
    let index = |kind: &str, pointer: &str| spec(&case, kind).pointer(pointer).cloned();
    for (kind, pointer, expected) in [
        ("Core", "/redis/database", 0),
        ("Core", "/components/registry/redis/database", 1),
        ("Registry", "/redis/database", 1),
        ("JobService", "/workerPool/redisPool/database", 2),
        ("Exporter", "/jobservice/redisPool/database", 2),
        ("ChartMuseum", "/cache/redis/database", 3),
        ("Trivy", "/redis/database", 5),
    ] {
        assert_eq!(index(kind, pointer), Some(json!(expected)), "{kind}");
    }
}

#[test]
fn logs_of_jobs_are_kept_in_the_directory_of_the_volume_that_is_named() {
    let volume = json!({"claimName": "logs", "prefix": "jobs"});
    let case = a_harbor().set("/spec/jobservice/storage", json!({"jobLogsPersistentVolume": volume}));
    assert_eq!(
        spec(&case, "JobService")["jobLoggers"]["files"][0],
        json!({
            "level": "INFO",
            "sweeper": "336h",
            "volume": {"persistentVolumeClaim": {"claimName": "logs"}},
            "prefix": "jobs",
        })
    );
}

#[test]
fn scratch_directories_of_a_harbor_are_as_large_as_their_node_permits() {
    let unlimited = json!({"volumeSource": {"emptyDir": {}}});
    let case = Case::<Harbor>::golden("harbor-2.5");
    assert_eq!(spec(&case, "Trivy")["storage"], json!({"cache": unlimited, "reports": unlimited}));
    assert_eq!(spec(&case, "JobService")["storage"], json!({"scanDataExports": unlimited}));
}

#[test]
fn charts_are_found_where_harbor_serves_them() {
    let url = |case: &Case<Harbor>| spec(case, "ChartMuseum")["chart"].get("url").cloned();
    let case = Case::<Harbor>::golden("harbor-2.5");
    assert_eq!(url(&case), Some(json!("https://harbor.example.com/chartrepo")));
    assert_eq!(url(&case.set("/spec/chartmuseum/absoluteUrl", json!(false))), None);
}

#[test]
fn every_database_carries_the_prefix() {
    let case = Case::<Harbor>::golden("harbor-2.5");
    let database = |kind: &str, pointer: &str| -> Vec<Value> {
        let postgres = spec(&case, kind).pointer(pointer).cloned().unwrap();
        vec![postgres["database"].clone(), postgres["parameters"]["sslmode"].clone()]
    };
    assert_eq!(database("Core", "/database"), ["acme-core", "verify-ca"]);
    assert_eq!(database("Exporter", "/database"), ["acme-core", "verify-ca"]);
    assert_eq!(database("NotaryServer", "/storage/postgres"), ["acme-notaryserver", "verify-ca"]);
    assert_eq!(database("NotarySigner", "/storage/postgres"), ["acme-notarysigner", "verify-ca"]);
}

#[test]
fn the_level_of_logs_is_what_each_component_calls_it() {
    let levels = |level: &str| -> Vec<Value> {
        let case = Case::<Harbor>::golden("harbor-2.5").set("/spec/logLevel", json!(level));
        [
            ("Core", "/log/level"),
            ("Exporter", "/log/level"),
            ("Registry", "/log/level"),
            ("RegistryController", "/log/level"),
            ("JobService", "/loggers/stdout/level"),
            ("NotaryServer", "/logging/level"),
            ("Trivy", "/log/level"),
        ]
        .map(|(kind, pointer)| spec(&case, kind).pointer(pointer).cloned().unwrap())
        .into()
    };
    assert_eq!(levels("warning"), ["warn", "warning", "warning", "warning", "WARNING", "warning", "warning"]);
    assert_eq!(levels("fatal"), ["error", "panic", "error", "fatal", "FATAL", "fatal", "fatal"]);
}

#[test]
fn the_proxy_reaches_the_components_it_is_for() {
    let case = Case::<Harbor>::golden("harbor-2.15");
    for (kind, proxied) in [("Core", true), ("Registry", true), ("JobService", false), ("Trivy", false)] {
        assert_eq!(spec(&case, kind).get("proxy").is_some(), proxied, "{kind}");
    }
}

#[test]
fn a_store_in_the_cluster_is_reached_without_the_proxy_by_all_who_are_sent_there() {
    let proxied = |store: Value| {
        let case = Case::<Harbor>::golden("minimal")
            .set(
                "/spec/proxy",
                json!({"httpProxy": "http://proxy:3128", "noProxy": [".example.com"],
                "components": ["core", "jobservice", "registry", "trivy"]}),
            )
            .set("/spec/trivy", json!({"storage": {}}))
            .set("/spec/imageChartStorage", store);
        ["Core", "JobService", "Registry", "Trivy"].map(|kind| spec(&case, kind)["proxy"]["noProxy"].clone())
    };
    let s3 = |endpoint: &str| json!({"s3": {"region": "r", "bucket": "b", "regionendpoint": endpoint}});
    let inside = json!([".example.com", "minio.store.svc"]);
    assert_eq!(proxied(s3("http://minio.store.svc:9000")), [(); 4].map(|()| inside.clone()));
    let swift = json!({"swift": {"authurl": "http://keystone:5000/v3", "container": "c", "username": "u",
        "passwordRef": "p"}});
    assert_eq!(proxied(swift)[1], json!([".example.com", "keystone"]));
    let outside = json!([".example.com"]);
    for store in [s3("https://s3.eu-west-1.amazonaws.com"), json!({"azure": {"accountname": "a"}})] {
        assert_eq!(proxied(store), [(); 4].map(|()| outside.clone()));
    }
}

#[test]
fn authorities_of_the_harbor_and_of_a_component_are_trusted_each_once() {
    let case = Case::<Harbor>::golden("harbor-2.15").set("/spec/exporter", json!({}));
    assert_eq!(spec(&case, "Core")["certificateRefs"], json!(["corporate-ca", "partner-ca"]));
    assert_eq!(spec(&case, "Trivy")["certificateRefs"], json!(["corporate-ca"]));
    assert_eq!(spec(&case, "Exporter")["certificateRefs"], json!(["corporate-ca"]));
}

#[test]
fn b12_job_logs_are_kept_for_two_weeks_and_not_for_none() {
    let files = spec(&a_harbor(), "JobService")["jobLoggers"]["files"].clone();
    assert_eq!(files, json!([{"level": "INFO", "sweeper": "336h"}]));
}

#[test]
fn user_annotations_of_an_ingress_win() {
    let annotations =
        Case::<Harbor>::golden("harbor-2.8").child("Ingress")["metadata"]["annotations"].clone();
    let expected = json!({
        "ncp/use-regex": "true",
        "nginx.ingress.kubernetes.io/backend-protocol": "HTTP",
        "nginx.ingress.kubernetes.io/proxy-body-size": "10g",
    });
    assert_eq!(annotations, expected);
}

#[test]
fn charts_have_a_path_only_where_there_are_charts() {
    let paths = |version: &str| {
        let case = a_harbor().set("/spec/version", json!(version));
        case.child("Ingress").to_string().contains("/chartrepo/")
    };
    assert_eq!(["2.5.0", "2.7.4", "2.8.0", "2.15.0"].map(paths), [true, true, false, false]);
}

#[test]
fn the_class_of_an_ingress_is_where_its_controller_reads_it() {
    let class = |controller: &str| {
        let ingress = json!({"host": "h", "controller": controller, "ingressClassName": "internal"});
        let ingress = a_harbor().set("/spec/expose/core/ingress", ingress).child("Ingress");
        let annotation = ingress["metadata"]["annotations"]["kubernetes.io/ingress.class"].clone();
        (ingress["spec"]["ingressClassName"].clone(), annotation)
    };
    for controller in ["default", "ncp", "contour"] {
        assert_eq!(class(controller), (json!("internal"), Value::Null), "{controller}");
    }
    assert_eq!(class("gce"), (Value::Null, json!("internal")));
}

#[test]
fn exposure_under_another_host_than_the_external_url_is_reported_and_not_refused() {
    let advice = |expose: Value| {
        let case = a_harbor().set("/spec/expose/core", expose);
        assert!(case.plan().is_ok());
        Harbor::advice(&case.owner).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let route = |hostnames: &[&str]| json!({"parentRefs": [{"name": "gateway"}], "hostnames": hostnames});
    assert_eq!(
        advice(json!({"ingress": {"host": "harbor.internal"}})),
        [
            "spec.externalURL: its host is harbor.example.com, but Harbor is exposed under harbor.internal; use one \
          name for both, unless a proxy in front changes the host of requests"
        ]
    );
    assert_eq!(advice(json!({"route": route(&["a.internal", "b.internal"])})).len(), 1);
    for expose in [
        json!({"ingress": {"host": "Harbor.example.com"}}),
        json!({"ingress": {"host": "harbor.internal"}, "route": route(&["*.example.com"])}),
        json!({"route": route(&[])}),
        json!({"ingress": {"host": "harbor.internal"}, "service": {}}),
        json!({}),
    ] {
        assert_eq!(advice(expose.clone()), Vec::<String>::new(), "{expose}");
    }
}

#[test]
fn a_harbor_that_names_several_servers_of_postgresql_uses_the_first_and_says_so() {
    let hosts = json!([{"host": "a.example.com"}, {"host": "b.example.com"}]);
    let case = a_harbor().set("/spec/database/hosts", hosts);
    let reported: Vec<String> = Harbor::advice(&case.owner).iter().map(ToString::to_string).collect();
    let expected = "spec.database.hosts: Harbor connects to the first, a.example.com, and never to another; name one \
                    address that follows the primary, such as a Service";
    assert_eq!(reported, [expected]);
    assert_eq!(Harbor::advice(&a_harbor().owner), []);
}

#[test]
fn pods_of_nginx_are_replaced_when_services_behind_it_have_other_addresses() {
    let service = |name: &str, address: &str| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "registry"},
            "spec": {"clusterIP": address, "clusterIPs": [address]},
        })
    };
    let template = |services: &[(&str, &str)]| {
        let mut case = a_harbor().set("/spec/expose/core", json!({"service": {}}));
        case.inputs.extend(services.iter().map(|(name, address)| service(name, address)));
        case.child("Deployment")["spec"]["template"]["metadata"]["annotations"].clone()
    };
    let addresses = |addresses: &str| json!({"goharbor.io/upstream-addresses": addresses});
    assert_eq!(template(&[]), Value::Null);
    let (core, portal) = (("acme-harbor-core", "10.0.0.1"), ("acme-harbor-portal", "10.0.0.2"));
    assert_eq!(template(&[core, portal]), addresses("10.0.0.1,10.0.0.2"));
    assert_eq!(template(&[("acme-harbor-core", "10.0.0.9"), portal]), addresses("10.0.0.9,10.0.0.2"));
}
