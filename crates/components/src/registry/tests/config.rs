use super::{CASES, Case, Registry, a_registry};
use serde_json::{Value, json};

#[test]
fn b11_every_kind_of_middleware_is_under_its_own_key() {
    let middleware = Case::<Registry>::golden("full").setting("REGISTRY_MIDDLEWARE");
    assert_eq!(
        middleware,
        json!({
            "registry": [{"name": "example"}],
            "repository": [{"name": "other", "options": {"threshold": "00012345"}}],
            "storage": [{"name": "cloudfront", "options": {
                "baseurl": "https://fake-distribution.example.com",
                "duration": "3000s",
                "keypairid": "12345678",
                "privatekey": "/etc/registry/middleware/storage-0/privatekey",
            }}],
        })
    );
}

#[test]
fn b11_log_hooks_have_their_options() {
    let hooks = Case::<Registry>::golden("full").setting("REGISTRY_LOG_HOOKS");
    assert_eq!(
        hooks,
        json!([{"type": "mail", "levels": ["panic"], "options": {
            "smtp": {
                "addr": "mail.example.com:25",
                "username": "fake-mail-user",
                "password": "fake-mail-password",
                "insecure": true,
            },
            "from": "fake-sender@example.com",
            "to": ["fake-receiver@example.com"],
        }}])
    );
}

#[test]
fn b11_tokens_are_checked_with_the_certificate_and_the_issuer_of_the_spec() {
    let case = Case::<Registry>::golden("harbor-2.8");
    let token = &case.config()["auth"]["token"];
    assert_eq!(token["issuer"], "harbor-token-issuer");
    let bundle = token["rootcertbundle"].as_str().unwrap();
    let mounts = case.container("registry").volume_mounts.unwrap();
    let mount = mounts.iter().find(|it| bundle == format!("{}/tls.crt", it.mount_path)).unwrap();
    let volumes = case.pod().volumes.unwrap();
    let volume = volumes.into_iter().find(|volume| volume.name == mount.name).unwrap();
    assert_eq!(volume.secret.unwrap().secret_name.unwrap(), "token");
}

#[test]
fn reporting_reads_switches_as_switches() {
    let case = Case::<Registry>::golden("full").with("newrelic", "verbose", "true");
    let reporting = case.setting("REGISTRY_REPORTING");
    assert_eq!(
        reporting,
        json!({
            "bugsnag": {"apikey": "fake-bugsnag-key", "releasestage": "fake-stage"},
            "newrelic": {"licensekey": "fake-newrelic-key", "verbose": true},
        })
    );
}

#[test]
fn every_section_of_the_file_is_one_that_distribution_reads() {
    const KNOWN: [&str; 10] = [
        "version",
        "log",
        "http",
        "storage",
        "redis",
        "auth",
        "compatibility",
        "validation",
        "notifications",
        "health",
    ];
    for case in CASES.map(Case::<Registry>::golden) {
        for section in case.config().as_object().unwrap().keys() {
            assert!(KNOWN.contains(&section.as_str()), "{section}");
        }
    }
}

#[test]
fn keys_of_maintenance_are_lower_case_or_they_would_be_passed_over() {
    let maintenance = Case::<Registry>::golden("full").config()["storage"]["maintenance"].clone();
    assert_eq!(
        maintenance,
        json!({
            "uploadpurging": {"enabled": true, "age": "72h", "interval": "6h", "dryrun": true},
            "readonly": {"enabled": true},
        })
    );
}

#[test]
fn a_log_level_is_one_the_registry_starts_with() {
    for (level, expected) in [("debug", "debug"), ("info", "info"), ("warning", "warn"), ("error", "error")] {
        let case = a_registry().set("/spec/log/level", level.into());
        assert_eq!(case.config()["log"]["level"], expected);
    }
}

#[test]
fn what_is_not_set_is_not_in_the_file() {
    fn empty(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty() || items.iter().any(empty),
            Value::Object(fields) => fields.iter().any(|(name, field)| name != "inmemory" && empty(field)),
            _ => false,
        }
    }
    for name in CASES {
        assert!(!empty(&Case::<Registry>::golden(name).config()), "{name}");
    }
}

#[test]
fn what_is_said_twice_is_read_once() {
    let spelt_out = a_registry()
        .set("/spec/log", json!({"level": "info", "formatter": "text", "accessLog": {"disabled": false}}))
        .set(
            "/spec/http",
            json!({"net": "tcp", "relativeURLs": true, "http2": {"disabled": false}, "host": "", "prefix": ""}),
        )
        .set("/spec/storage/delete", json!({"enabled": true}))
        .set("/spec/storage/redirect", json!({"disable": false}))
        .set("/spec/storage/cache", json!({"blobdescriptor": "inmemory"}))
        .set("/spec/storage/maintenance", json!({"uploadPurging": {}, "readOnly": {}}))
        .set("/spec/health", json!({"storageDriver": {}}))
        .set("/spec/middlewares", json!({}))
        .set("/spec/updateStrategyType", json!("RollingUpdate"));
    assert_eq!(spelt_out.children(), a_registry().children());
}

#[test]
fn b15_every_sentinel_is_asked_and_redis_is_reached_over_tls() {
    let case = Case::<Registry>::golden("full");
    let redis = case.config()["redis"].clone();
    assert_eq!(redis["addr"], "sentinel-0.example.com:26380,sentinel-1.example.com:26379");
    assert_eq!(redis["sentinelMasterSet"], "harbor");
    assert_eq!(redis["username"], "harbor");
    // A variable is matched with the field whatever a version of the registry calls it in the file.
    assert_eq!(redis.get("enableTLS"), None);
    assert_eq!(case.environment("registry")["REGISTRY_REDIS_ENABLETLS"], "true");
    let paths: Vec<_> =
        case.container("registry").volume_mounts.unwrap().into_iter().map(|it| it.mount_path).collect();
    assert!(paths.contains(&"/harbor_cust_cert/redis-ca.crt".into()));
}

#[test]
fn a_health_check_of_the_storage_can_be_turned_off() {
    assert_eq!(a_registry().config()["health"]["storagedriver"]["enabled"], true);
    assert_eq!(Case::<Registry>::golden("full").config()["health"]["storagedriver"]["enabled"], false);
}

#[test]
fn the_file_of_the_registry_controller_has_the_types_it_reads() {
    let file = Case::<Registry>::golden("tls").named("ConfigMap", "harbor-registryctl");
    let file: Value = serde_saphyr::from_str(file["data"]["config.yml"].as_str().unwrap()).unwrap();
    assert_eq!(
        file,
        json!({
            "protocol": "https",
            "port": 8443,
            "https_config": {
                "cert": "/etc/registryctl/ssl/tls.crt",
                "key": "/etc/registryctl/ssl/tls.key",
            },
            "log_level": "info",
            "registry_config": "/etc/registry/config.yml",
        })
    );
}

#[test]
fn a_redis_with_a_public_authority_is_reached_over_tls() {
    let tls = |requested: Value| {
        let case = a_registry().set("/spec/redis", json!({"host": "redis", "tls": requested}));
        case.environment("registry").get("REGISTRY_REDIS_ENABLETLS").cloned()
    };
    assert_eq!(tls(json!(true)).as_deref(), Some("true"));
    assert_eq!(tls(json!(false)), None);
}
