//! The chart.

use crate::{
    deploy, documents,
    helm::{complaints, name, rendered},
    manifests, only,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, process::Command};

/// Everything switched on, or set to something.
fn everything() -> Value {
    json!({
        "replicaCount": 3,
        "image": {"registry": "registry.internal", "tag": "1.2.3", "pullPolicy": "Always"},
        "imagePullSecrets": [{"name": "pull"}],
        "namespaces": ["one", "two"],
        "harborClass": "blue",
        "concurrency": 4,
        "deadline": 30,
        "harborInterval": 600,
        "log": {"format": "text", "level": "debug"},
        "defaults": {
            "harbor": "main", "imageRepository": "mirror.internal", "imageTagSuffix": "-fips", "networkPolicies": true,
        },
        "allowPrivilegedPods": true,
        "metrics": {"serviceMonitor": {"enabled": true, "labels": {"release": "prometheus"}}},
        "page": {"enabled": true},
        "serviceAccount": {"annotations": {"a": "b"}, "name": "account"},
        "podAnnotations": {"c": "d"},
        "podLabels": {"e": "f"},
        "nodeSelector": {"g": "h"},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}},
        "priorityClassName": "high",
        "extraEnv": [{"name": "I", "value": "j"}],
        "podDisruptionBudget": {"maxUnavailable": "50%"},
    })
}

fn args(objects: &[Value]) -> Vec<&str> {
    let container = &only(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    container["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect()
}

#[test]
fn helm_finds_nothing_to_complain_about() {
    for values in [json!({}), everything()] {
        assert_eq!(complaints(&values), Vec::<Value>::new());
    }
}

#[test]
fn the_rendered_chart_equals_the_plain_manifests() {
    let mut rendered = rendered(&json!({})).unwrap();
    for definition in rendered.iter_mut().filter(|it| it["kind"] == "CustomResourceDefinition") {
        let annotations = definition["metadata"].as_object_mut().unwrap().remove("annotations");
        assert_eq!(annotations, Some(json!({"helm.sh/resource-policy": "keep"})));
    }
    let mut plain = manifests();
    // Helm makes the namespace of a release itself, if it is asked to.
    plain.retain(|object| object["kind"] != "Namespace");
    plain.sort_by_key(name);
    let names = |objects: &[Value]| objects.iter().map(name).collect::<Vec<_>>();
    assert_eq!(names(&rendered), names(&plain));
    for (rendered, plain) in rendered.iter().zip(&plain) {
        assert_eq!(rendered, plain, "{}", name(plain));
    }
}

#[test]
fn options_reach_the_process() {
    let objects = rendered(&everything()).unwrap();
    let expected = [
        "run",
        "--leader-elect",
        "--log=text",
        "--log-level=debug",
        "--namespace=one",
        "--namespace=two",
        "--class=blue",
        "--concurrency=4",
        "--deadline=30",
        "--harbor-interval=600",
        "--harbor=main",
        "--image-repository=mirror.internal",
        "--image-tag-suffix=-fips",
        "--network-policies",
        "--allow-privileged-pods",
        "--page-address=127.0.0.1:8081",
    ];
    assert_eq!(args(&objects), expected);
    let pod = &only(&objects, "Deployment")["spec"]["template"];
    let container = &pod["spec"]["containers"][0];
    assert_eq!(container["image"], "registry.internal/goharbor/harbor-operator:1.2.3");
    assert_eq!(container["imagePullPolicy"], "Always");
    let variables: Vec<_> =
        container["env"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(variables, ["HARBOR_OPERATOR_IMAGE", "POD_NAMESPACE", "I"]);
    assert_eq!(container["env"][0]["value"], container["image"], "it may run itself");
    assert_eq!(pod["metadata"]["annotations"], json!({"c": "d"}));
    assert_eq!(pod["metadata"]["labels"]["e"], "f");
    let chosen = ["imagePullSecrets", "priorityClassName", "nodeSelector", "tolerations", "affinity"];
    for field in chosen {
        assert_eq!(pod["spec"][field], everything()[field], "{field}");
    }
}

/// It gets as far as looking for a cluster.
#[test]
fn the_process_knows_every_option() {
    for values in [json!({}), everything(), json!({"fullnameOverride": "blue"})] {
        let objects = rendered(&values).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(args(&objects))
            .env("KUBECONFIG", "/does/not/exist")
            .env("POD_NAMESPACE", "harbor-operator-ns")
            .env_remove("KUBERNETES_SERVICE_HOST")
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains("no cluster"), "{words}");
    }
}

#[test]
fn alerts_and_the_dashboard_come_along_if_asked_for() {
    let asked = json!({"metrics": {
        "prometheusRule": {"enabled": true, "labels": {"release": "prometheus"}},
        "dashboard": {"enabled": true},
    }});
    let objects = rendered(&asked).unwrap();
    let observability = deploy().join("observability");
    let alerts = documents(&fs::read_to_string(observability.join("alerts.yaml")).unwrap()).remove(0);
    let rule = only(&objects, "PrometheusRule");
    assert_eq!((&rule["spec"], &rule["metadata"]["labels"]["release"]), (&alerts, &json!("prometheus")));
    let config = only(&objects, "ConfigMap");
    assert_eq!(config["metadata"]["labels"]["grafana_dashboard"], "1");
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let dashboard = fs::read_to_string(observability.join("dashboard.json")).unwrap();
    assert_eq!(parsed(config["data"]["harbor-operator.json"].as_str().unwrap()), parsed(&dashboard));
}

#[test]
fn in_chosen_namespaces_nothing_is_allowed_elsewhere() {
    let objects = rendered(&everything()).unwrap();
    let everywhere = rendered(&json!({"page": everything()["page"]})).unwrap();
    let of_kind = |kind: &str| objects.iter().filter(|it| it["kind"] == kind).map(name).collect::<Vec<_>>();
    assert_eq!(of_kind("ClusterRole"), Vec::<String>::new());
    assert_eq!(of_kind("ClusterRoleBinding"), Vec::<String>::new());
    assert_eq!(
        of_kind("Role"),
        [
            "Role harbor-operator-ns/harbor-operator-digest-key",
            "Role harbor-operator-ns/harbor-operator-leader-election",
            "Role one/harbor-operator",
            "Role one/harbor-operator-page-logs",
            "Role two/harbor-operator",
            "Role two/harbor-operator-page-logs",
        ]
    );
    assert_eq!(of_kind("RoleBinding").len(), 6);
    let rules = &named(&everywhere, &["ClusterRole /harbor-operator"])[0]["rules"];
    let of_namespace =
        objects.iter().filter(|it| it["kind"] == "Role" && it["metadata"]["name"] == "harbor-operator");
    assert!(of_namespace.into_iter().all(|role| role["rules"] == *rules));
    let account = json!([{"kind": "ServiceAccount", "name": "account", "namespace": "harbor-operator-ns"}]);
    let bindings = objects.iter().filter(|it| it["kind"] == "RoleBinding");
    assert!(bindings.into_iter().all(|binding| binding["subjects"] == account));
}

#[test]
fn with_the_page_its_permissions_come_along() {
    let page = json!({"enabled": true});
    let objects = rendered(&json!({"page": page})).unwrap();
    let printed = fs::read_to_string(deploy().join("chart/harbor-operator/files/rbac-page.yaml")).unwrap();
    let printed = documents(&printed);
    let names = [
        "ClusterRole /harbor-operator",
        "ClusterRole /harbor-operator-page-logs",
        "ClusterRoleBinding /harbor-operator-page-logs",
    ];
    assert_eq!(named(&objects, &names), named(&printed, &names));
    assert_ne!(named(&objects, &names)[0], only(&rendered(&json!({})).unwrap(), "ClusterRole"));
    let without_logs = rendered(&json!({"page": {"enabled": true, "logs": false}})).unwrap();
    assert_eq!(only(&without_logs, "ClusterRole"), named(&printed, &names)[0]);
    let roles = |objects: &[Value]| {
        let mut roles: Vec<_> = objects.iter().filter(|it| it["kind"] == "Role").cloned().collect();
        roles.sort_by_key(name);
        roles
    };
    assert_eq!(roles(&objects), roles(&printed), "to lead and to make digests takes the same");
}

/// The objects of these kinds and names.
fn named<'a>(objects: &'a [Value], names: &[&str]) -> Vec<&'a Value> {
    let found = names.iter().map(|wanted| objects.iter().find(|object| name(object) == *wanted));
    found.map(|found| found.unwrap_or_else(|| panic!("not all of {names:?} are there"))).collect()
}

#[test]
fn image_rewriting_comes_with_a_service_and_exactly_its_permissions() {
    let objects = rendered(&json!({"rewriteImages": {"enabled": true, "failurePolicy": "Fail"}})).unwrap();
    let rbac = ["rbac", "--rewrite-images"];
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(rbac).output().unwrap();
    let printed = documents(&String::from_utf8(output.stdout).unwrap());
    let names =
        ["ClusterRole /harbor-operator-rewrite-images", "ClusterRoleBinding /harbor-operator-rewrite-images"];
    assert_eq!(named(&objects, &names), named(&printed, &names));
    let shipped = fs::read_to_string(deploy().join("rewrite-images/rbac.yaml")).unwrap();
    assert_eq!(named(&documents(&shipped), &names), named(&printed, &names));

    let service = ["Service harbor-operator-ns/harbor-operator-webhook"];
    let shipped = fs::read_to_string(deploy().join("webhook/service.yaml")).unwrap();
    assert_eq!(named(&objects, &service), named(&documents(&shipped), &service));
    let container = &only(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let arguments = container["args"].as_array().unwrap();
    for argument in
        ["--rewrite-images", "--webhook-name=harbor-operator-webhook", "--webhook-failure-policy=Fail"]
    {
        assert!(arguments.contains(&json!(argument)), "{argument}");
    }
    let without = rendered(&json!({})).unwrap();
    assert!(
        without.iter().all(|object| !name(object).contains("rewrite") && !name(object).contains("webhook"))
    );
    assert!(rendered(&json!({"rewriteImages": {"enabled": true}, "namespaces": ["one"]})).is_err());
}

#[test]
fn the_annotations_of_namespaces_come_with_exactly_their_permissions() {
    let objects = rendered(&json!({"bindNamespaces": {"enabled": true}})).unwrap();
    let rbac = ["rbac", "--bind-namespaces"];
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(rbac).output().unwrap();
    let printed = documents(&String::from_utf8(output.stdout).unwrap());
    let names = [
        "ClusterRole /harbor-operator-bind-namespaces",
        "ClusterRoleBinding /harbor-operator-bind-namespaces",
    ];
    assert_eq!(named(&objects, &names), named(&printed, &names));
    let shipped = fs::read_to_string(deploy().join("bind-namespaces/rbac.yaml")).unwrap();
    assert_eq!(named(&documents(&shipped), &names), named(&printed, &names));

    let arguments = |objects: &[Value]| {
        only(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"].to_string()
    };
    assert!(arguments(&objects).contains("\"--bind-namespaces\""));
    let without = rendered(&json!({})).unwrap();
    assert!(without.iter().all(|object| !name(object).contains("bind-namespaces")));
    assert!(!arguments(&without).contains("bind-namespaces"));
    assert!(rendered(&json!({"bindNamespaces": {"enabled": true}, "namespaces": ["one"]})).is_err());
}

#[test]
fn conversion_comes_with_a_service_and_exactly_its_permissions() {
    let crds = json!({"install": false});
    let converting =
        json!({"convertV1alpha3": {"enabled": true}, "crds": crds, "webhook": {"certificate": "serving"}});
    let objects = rendered(&converting).unwrap();
    let rbac = ["rbac", "--convert-v1alpha3"];
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(rbac).output().unwrap();
    let printed = documents(&String::from_utf8(output.stdout).unwrap());
    let names = [
        "ClusterRole /harbor-operator-convert-v1alpha3",
        "ClusterRoleBinding /harbor-operator-convert-v1alpha3",
    ];
    assert_eq!(named(&objects, &names), named(&printed, &names));
    let shipped = fs::read_to_string(deploy().join("convert-v1alpha3/rbac.yaml")).unwrap();
    assert_eq!(named(&documents(&shipped), &names), named(&printed, &names));

    let service = ["Service harbor-operator-ns/harbor-operator-webhook"];
    let mut expected =
        documents(&fs::read_to_string(deploy().join("webhook/service.yaml")).unwrap()).remove(0);
    expected["spec"]["publishNotReadyAddresses"] = json!(true);
    assert_eq!(named(&objects, &service), [&expected]);
    let flags: Vec<_> =
        args(&objects).into_iter().filter(|arg| arg.contains("webhook") || arg.contains("v1")).collect();
    let expected =
        ["--convert-v1alpha3", "--webhook-name=harbor-operator-webhook", "--webhook-certificate=serving"];
    assert_eq!(flags, expected);

    let both =
        json!({"convertV1alpha3": {"enabled": true}, "rewriteImages": {"enabled": true}, "crds": crds});
    let both = rendered(&both).unwrap();
    assert_eq!(both.iter().filter(|object| name(object).contains("-webhook")).count(), 1, "one Service");
    let error = rendered(&json!({"convertV1alpha3": {"enabled": true}})).unwrap_err();
    assert!(error.contains("set crds.install to false"), "{error}");
}

#[test]
fn metrics_for_those_who_may_read_them_come_with_permissions_and_a_token() {
    let values = |secret: &str| {
        let auth = json!({"enabled": true, "tokenSecret": {"name": secret}});
        json!({"namespaces": ["one"], "metrics": {"auth": auth, "serviceMonitor": {"enabled": true}}})
    };
    let objects = rendered(&values("")).unwrap();
    let rbac = ["rbac", "--metrics-auth", "--namespace", "one"];
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(rbac).output().unwrap();
    let printed = documents(&String::from_utf8(output.stdout).unwrap());
    let names = [
        "ClusterRole /harbor-operator-metrics-auth",
        "ClusterRoleBinding /harbor-operator-metrics-auth",
        "ClusterRole /harbor-operator-metrics-reader",
    ];
    assert_eq!(named(&objects, &names), named(&printed, &names));
    assert!(args(&objects).contains(&"--metrics-auth"));
    let endpoint = |objects: &[Value]| only(objects, "ServiceMonitor")["spec"]["endpoints"][0].clone();
    let own = json!("/var/run/secrets/kubernetes.io/serviceaccount/token");
    assert_eq!(endpoint(&objects)["bearerTokenFile"], own);
    let from_secret = endpoint(&rendered(&values("prometheus")).unwrap());
    let credentials = json!({"type": "Bearer", "credentials": {"name": "prometheus", "key": "token"}});
    assert_eq!(
        (&from_secret["authorization"], &from_secret["bearerTokenFile"]),
        (&credentials, &Value::Null)
    );
}

#[test]
fn the_lease_that_may_be_written_is_the_one_of_the_process() {
    for (values, arguments) in [
        (json!({}), "rbac"),
        (json!({"harborClass": "blue"}), "rbac --class blue"),
        (json!({"fullnameOverride": "mine", "harborClass": "blue"}), "rbac --lease-name mine --class blue"),
    ] {
        let arguments = arguments.split(' ');
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(arguments).output().unwrap();
        let printed = documents(&String::from_utf8(output.stdout).unwrap());
        let objects = rendered(&values).unwrap();
        assert_eq!(election(&objects)["rules"], election(&printed)["rules"], "{values}");
    }
}

/// The role that lets the operator lead.
fn election(objects: &[Value]) -> &Value {
    let roles = objects.iter().filter(|object| object["kind"] == "Role");
    let name = |role: &Value| role["metadata"]["name"].as_str().unwrap().to_owned();
    roles.into_iter().find(|role| name(role).ends_with("-leader-election")).unwrap()
}

#[test]
fn what_is_switched_off_is_not_made() {
    let off = json!({
        "crds": {"install": false},
        "replicaCount": 1,
        "leaderElection": {"enabled": false},
        "metrics": {"service": {"enabled": false}},
        "serviceAccount": {"create": false, "name": "mine"},
        "rbac": {"create": false},
    });
    let objects = rendered(&off).unwrap();
    assert_eq!(
        objects.iter().map(name).collect::<Vec<_>>(),
        ["Deployment harbor-operator-ns/harbor-operator"]
    );
    assert_eq!(args(&objects), ["run", "--log=json"]);
    assert_eq!(objects[0]["spec"]["template"]["spec"]["serviceAccountName"], "mine");
}

#[test]
fn definitions_are_deleted_with_the_chart_only_if_requested() {
    let objects = rendered(&json!({"crds": {"keep": false}})).unwrap();
    let definitions: Vec<_> = objects.iter().filter(|it| it["kind"] == "CustomResourceDefinition").collect();
    assert_eq!(definitions.len(), api::crds::all().len());
    assert!(definitions.iter().all(|definition| definition["metadata"].get("annotations").is_none()));
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let refused = [
        (json!({"replicas": 3}), "replicas"),
        (json!({"namespaces": ["Not a name"]}), "namespaces"),
        (json!({"log": {"format": "xml"}}), "format"),
        (json!({"leaderElection": {"enabled": false}}), "set leaderElection.enabled to true"),
        (
            json!({"metrics": {"service": {"enabled": false}, "serviceMonitor": {"enabled": true}}}),
            "set metrics.service.enabled to true",
        ),
        (json!({"podLabels": {"a": 1}}), "podLabels"),
    ];
    for (values, words) in refused {
        let error = rendered(&values).unwrap_err();
        assert!(error.contains(words), "{values}: {error}");
    }
}

/// The values below one of the schema's, and those below one of the defaults.
fn paths(value: &Value, schema: &Value, root: &Value, at: &str, found: &mut [BTreeSet<String>; 2]) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let Some(known) = schema["properties"].as_object() else { return };
    assert_eq!(schema["additionalProperties"], false, "{at} lets everything pass");
    let given = value.as_object().unwrap();
    found[0].extend(given.keys().map(|key| format!("{at}.{key}")));
    found[1].extend(known.keys().map(|key| format!("{at}.{key}")));
    for (key, below) in known {
        paths(given.get(key).unwrap_or(&json!({})), below, root, &format!("{at}.{key}"), found);
    }
}

#[test]
fn the_schema_knows_every_value_that_has_a_default_and_no_other() {
    let chart = deploy().join("chart/harbor-operator");
    let values = documents(&fs::read_to_string(chart.join("values.yaml")).unwrap()).remove(0);
    let schema = fs::read_to_string(chart.join("values.schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // Helm's own.
    schema["properties"].as_object_mut().unwrap().remove("global").unwrap();
    // Kubernetes', whose parts are up to it.
    schema["properties"].as_object_mut().unwrap()["resources"] = json!({});
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    paths(&values, &schema, &schema, "", &mut found);
    let [given, known] = found;
    assert!(given.len() > 30);
    assert_eq!(given, known);
}

#[test]
fn the_chart_and_the_manifests_are_of_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let chart = fs::read_to_string(deploy().join("chart/harbor-operator/Chart.yaml")).unwrap();
    let chart = documents(&chart).remove(0);
    assert_eq!([&chart["version"], &chart["appVersion"]], [version; 2]);
    let objects = manifests();
    let container = &only(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], format!("docker.io/goharbor/harbor-operator:{version}"));
    assert_eq!(container["env"][0]["value"], container["image"], "it may run itself");
}
