//! Tests of ChartMuseum.

use super::ChartMuseum;
use crate::cases::Case;
use k8s_openapi::api::core::v1::Container;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn a_museum() -> Case<ChartMuseum> {
    Case::golden("minimal")
}

fn full() -> Case<ChartMuseum> {
    Case::golden("full")
}

fn config(case: &Case<ChartMuseum>) -> Value {
    serde_saphyr::from_str(case.child("ConfigMap")["data"]["config.yaml"].as_str().unwrap()).unwrap()
}

fn container(case: &Case<ChartMuseum>) -> Container {
    let container = case.child("Deployment").pointer("/spec/template/spec/containers/0").cloned();
    serde_json::from_value(container.unwrap()).unwrap()
}

fn variables(case: &Case<ChartMuseum>) -> BTreeMap<String, String> {
    let value = |it: k8s_openapi::api::core::v1::EnvVar| {
        let reference = it.value_from.and_then(|from| from.secret_key_ref);
        let reference = reference.map(|key| format!("{} of {}", key.key, key.name));
        Some((it.name, it.value.or(reference)?))
    };
    container(case).env.unwrap().into_iter().filter_map(value).collect()
}

#[test]
fn what_an_old_installation_depends_on_is_as_it_was() {
    let case = a_museum();
    let labels = json!({
        "chartmuseum.goharbor.io/name": "harbor-chartmuseum",
        "chartmuseum.goharbor.io/namespace": "registry"
    });
    let (service, deployment) = (case.child("Service"), case.child("Deployment"));
    for child in [&service, &deployment, &case.child("ConfigMap")] {
        assert_eq!(child["metadata"]["name"], "harbor-chartmuseum");
    }
    assert_eq!(service["spec"]["selector"], labels);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(
        service["spec"]["ports"],
        json!([{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}])
    );
    let container = container(&case);
    assert_eq!(container.name, "chartmuseum");
    assert_eq!(container.image.as_deref(), Some("docker.io/goharbor/chartmuseum-photon:v2.7.4"));
    let paths: Vec<String> = container.volume_mounts.unwrap().into_iter().map(|it| it.mount_path).collect();
    assert_eq!(paths, ["/etc/chartmuseum/config.yaml", "/mnt/chartstorage"]);
}

#[test]
fn b14_charts_stored_below_a_prefix_are_found_again() {
    let case = Case::<ChartMuseum>::golden("harbor-2.5");
    assert_eq!(variables(&case)["STORAGE_LOCAL_ROOTDIR"], "/mnt/chartstorage");
    let mounts = container(&case).volume_mounts.unwrap();
    let storage = mounts.iter().find(|mount| mount.name == "storage").unwrap();
    // Where `STORAGE_LOCAL_ROOTDIR=/mnt/chartstorage/team/charts` on a volume mounted from `team/charts` put them.
    assert_eq!(storage.sub_path.as_deref(), Some("team/charts/team/charts"));
    assert_eq!(container(&a_museum()).volume_mounts.unwrap()[1].sub_path, None);
}

#[test]
fn b14_a_limit_that_is_not_set_is_left_out() {
    for (key, full_value) in [("indexlimit", json!(8)), ("maxstorageobjects", json!(100))] {
        assert_eq!(config(&a_museum()).get(key), None);
        assert_eq!(config(&full())[key], full_value);
    }
    assert!(!a_museum().child("ConfigMap").to_string().contains("nil"));
}

#[test]
fn b14_the_certificate_of_tokens_is_where_the_settings_say() {
    let config = config(&full());
    assert_eq!(config["authcertpath"], "/etc/chartmuseum/auth-certificates/tls.crt");
    let mounts = container(&full()).volume_mounts.unwrap();
    assert!(mounts.iter().any(|mount| mount.mount_path == "/etc/chartmuseum/auth-certificates"));
    let volumes = full().child("Deployment").pointer("/spec/template/spec/volumes").cloned().unwrap();
    let token = volumes.as_array().unwrap().iter().find(|it| it["name"] == "auth-certificates").unwrap();
    assert_eq!(token["secret"]["items"], json!([{"key": "tls.crt", "path": "tls.crt"}]));
}

#[test]
fn b14_fields_that_had_no_effect_have_one() {
    let config = config(&full());
    for (key, value) in [
        ("/allowoverwrite", json!(false)),
        ("/enforce-semver2", json!(true)),
        ("/storage/timestamptolerance", json!("2s")),
        ("/loglatencyinteger", json!(false)),
        ("/cors/alloworigin", json!("https://example.com")),
        ("/readtimeout", json!(40)),
        ("/writetimeout", json!(60)),
        ("/listen/host", json!("[::]")),
        ("/depthdynamic", json!(true)),
    ] {
        assert_eq!(config.pointer(key), Some(&value), "{key}");
    }
    assert_eq!(variables(&full())["STORAGE_AMAZON_SSE"], "AES256");
    let openstack = variables(&Case::golden("openstack"));
    assert_eq!(openstack["OS_USER_DOMAIN_NAME"], "default");
    assert!(!openstack.contains_key("OS_USER_DOMAIN_ID"));
}

#[test]
fn indexes_are_cached_in_redis_or_behind_sentinels() {
    assert_eq!(
        config(&Case::golden("tls"))["cache"],
        json!({"store": "redis", "redis": {"addr": "redis.example.com:6379", "db": 3}})
    );
    assert_eq!(
        config(&full())["cache"],
        json!({"store": "redis_sentinel", "redis": {
            "addr": "sentinel-0.example.com:26379,sentinel-1.example.com:26380",
            "mastername": "harbor",
            "db": 3
        }})
    );
}

#[test]
fn b13_every_secret_is_handed_over_by_reference() {
    let variables = |case: &str| variables(&Case::golden(case));
    let full = variables("full");
    for (name, reference) in [
        ("BASIC_AUTH_USER", "username of core-secret"),
        ("BASIC_AUTH_PASS", "password of core-secret"),
        ("CACHE_REDIS_PASSWORD", "redis-password of redis"),
        ("AWS_SECRET_ACCESS_KEY", "secret of store"),
    ] {
        assert_eq!(full[name], reference);
    }
    assert_eq!(variables("azure")["AZURE_STORAGE_ACCESS_KEY"], "secret of store");
    assert_eq!(variables("openstack")["OS_PASSWORD"], "secret of store");
    assert_eq!(variables("oss")["ALIBABA_CLOUD_ACCESS_KEY_SECRET"], "secret of store");
}

#[test]
fn an_option_that_is_not_set_is_left_out() {
    let case = full().set("/spec/chart/storage/amazon", json!({"bucket": "charts"}));
    let variables = variables(&case);
    let amazon: Vec<&String> =
        variables.keys().filter(|name| name.contains("AMAZON") || name.contains("AWS")).collect();
    assert_eq!(amazon, ["STORAGE_AMAZON_BUCKET", "STORAGE_AMAZON_PREFIX"]);
}

#[test]
fn callers_need_no_certificate_over_tls() {
    let config = config(&Case::golden("tls"));
    assert_eq!(config["port"], 8443);
    assert_eq!(
        config["tls"],
        json!({"cert": "/etc/chartmuseum/ssl/tls.crt", "key": "/etc/chartmuseum/ssl/tls.key"})
    );
}

#[test]
fn a_word_that_yaml_takes_for_a_switch_stays_a_word() {
    assert_eq!(config(&full())["chartpostformfieldname"], "on");
    assert!(full().child("ConfigMap").to_string().contains(r#"chartpostformfieldname: \"on\""#));
}

#[test]
fn a_claim_is_given_up_before_it_is_asked_for_again() {
    let strategy = |case: Case<ChartMuseum>| case.child("Deployment")["spec"]["strategy"]["type"].clone();
    assert_eq!(strategy(Case::golden("harbor-2.5")), "Recreate");
    assert_eq!(strategy(a_museum()), "RollingUpdate");
}

#[test]
fn one_store_is_needed_and_one_is_enough() {
    let storage = |storage| a_museum().set("/spec/chart/storage", storage).error();
    assert_eq!(
        storage(json!({"maxStorageObject": 1})),
        "spec.chart.storage: names no store; describe one, such as filesystem or amazon"
    );
    let two = json!({"amazon": {"bucket": "a"}, "filesystem": {"volumeSource": {"emptyDir": {}}}});
    assert_eq!(storage(two), "spec.chart.storage: names more than one store; leave one of them");
}

#[test]
fn b39_a_secret_of_a_store_that_is_missing_is_named() {
    for (case, secret) in [("azure", "store"), ("gcs", "gcs"), ("openstack", "store"), ("oss", "store")] {
        let error = Case::<ChartMuseum>::golden(case).without(secret).error();
        assert_eq!(error, format!("Secret registry/{secret} does not exist; create it"), "{case}");
    }
    let error = Case::<ChartMuseum>::golden("openstack")
        .set("/spec/chart/storage/openstack/passwordRef", Value::Null);
    assert!(error.error().starts_with("spec.chart.storage.openstack.passwordRef: is not set"));
}

#[test]
fn all_problems_are_reported_at_once() {
    let error = full()
        .set("/spec/server/readTimeout", json!("soon"))
        .set("/spec/chart/index/storageTimestampTolerance", json!("later"))
        .set("/spec/cache/redis/certificateRef", json!("redis-ca"))
        .set("/spec/server/tls", json!({}))
        .with("core-secret", "password", "")
        .with("token", "tls.crt", "")
        .with("store", "secret", "")
        .error();
    for problem in [
        "spec.server.readTimeout: \"soon\" is not a duration",
        "spec.chart.index.storageTimestampTolerance: \"later\" is not a duration",
        "spec.cache.redis.certificateRef: Harbor 2.7.4 does not know TLS towards Redis",
        "spec.server.tls.certificateRef: is not set although TLS is on",
        "Secret registry/core-secret, key `password`: is empty",
        "Secret registry/token, key `tls.crt`: is empty",
        "Secret registry/store, key `secret`: is empty",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn harbor_2_8_has_no_chartmuseum() {
    assert_eq!(
        a_museum().annotated("harbor.goharbor.io/version", "2.8.0").error(),
        "this chartmuseum: Harbor 2.8.0 has no ChartMuseum: it ended with Harbor 2.8; \
         remove this chartmuseum, or stay below Harbor 2.8"
    );
}

#[test]
fn b13_an_access_key_may_stay_in_its_secret() {
    let bucket = json!({"bucket": "charts", "accessKeyRef": "s3-keys"});
    let mut case = full().set("/spec/chart/storage/amazon", bucket);
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3-keys", "namespace": "registry"},
        "data": {"accesskey": crate::cases::base64(b"AKIA")},
    }));
    assert_eq!(variables(&case)["AWS_ACCESS_KEY_ID"], "accesskey of s3-keys");

    let error = case.set("/spec/chart/storage/amazon/accessKeyID", "AKIA".into()).error();
    let expected = "spec.chart.storage.amazon.accessKeyRef: is set beside accessKeyID; leave one of them";
    assert_eq!(error, expected);
}
