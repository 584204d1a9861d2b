use super::{Case, Registry, a_registry};
use serde_json::{Value, json};

fn stored_in(driver: Value) -> Case<Registry> {
    a_registry().set("/spec/storage/driver", driver)
}

#[test]
fn s3_can_do_without_tls_and_without_version_4() {
    let s3 = Case::<Registry>::golden("full").config()["storage"]["s3"].clone();
    assert_eq!((&s3["secure"], &s3["v4auth"]), (&json!(false), &json!(false)));
    let case = stored_in(json!({"s3": {"region": "eu-central-1", "bucket": "images"}}));
    assert_eq!(
        case.config()["storage"]["s3"],
        json!({
            "region": "eu-central-1",
            "bucket": "images",
            "storageclass": "STANDARD",
            "encrypt": false,
            "secure": true,
            "skipverify": false,
            "v4auth": true,
        })
    );
    assert!(case.children().iter().all(|child| child["kind"] != "Secret"), "credentials are the pods' own");
}

#[test]
fn b11_a_tenant_of_swift_is_no_id_of_a_tenant() {
    let swift = Case::<Registry>::golden("harbor-2.5").config()["storage"]["swift"].clone();
    assert_eq!((&swift["tenant"], &swift["tenantid"]), (&json!("registry"), &json!("0123")));
}

#[test]
fn b39_swift_without_a_secret_key_has_no_variable_for_it() {
    let case =
        Case::<Registry>::golden("harbor-2.5").set("/spec/storage/driver/swift/secretkeyRef", Value::Null);
    assert!(!case.environment("registry").contains_key("REGISTRY_STORAGE_SWIFT_SECRETKEY"));
    assert!(case.environment("registry").contains_key("REGISTRY_STORAGE_SWIFT_PASSWORD"));
}

#[test]
fn the_access_key_of_swift_may_be_in_a_secret_and_not_in_two_places() {
    let case = |change: &str, value: Value| {
        let case =
            Case::<Registry>::golden("harbor-2.5").set("/spec/storage/driver/swift/accesskey", Value::Null);
        case.set(&format!("/spec/storage/driver/swift/{change}"), value)
    };
    let kept =
        case("accesskeyRef", json!("swift-secretkey")).with("swift-secretkey", "accesskey", "fake-access");
    let secret: k8s_openapi::ByteString =
        serde_json::from_value(kept.child("Secret")["data"]["REGISTRY_STORAGE_SWIFT_ACCESSKEY"].clone())
            .unwrap();
    assert!(String::from_utf8(secret.0).unwrap().contains("fake-access"));
    let error = kept.set("/spec/storage/driver/swift/accesskey", json!("plain")).error();
    assert_eq!(error, "spec.storage.driver.swift.accesskeyRef: is set beside accesskey; keep one of them");
}

#[test]
fn b39_credentials_of_every_store_are_waited_for() {
    for (case, secret) in [
        ("full", "s3-credentials"),
        ("full", "s3-ca"),
        ("harbor-2.5", "swift-password"),
        ("harbor-2.5", "swift-secretkey"),
        ("harbor-2.8", "oss-secret"),
        ("harbor-2.9", "gcs-key"),
        ("harbor-2.13", "azure-key"),
    ] {
        let error = Case::<Registry>::golden(case).without(secret).error();
        assert_eq!(error, format!("Secret registry/{secret} does not exist; create it"));
    }
}

#[test]
fn google_without_a_key_stands_for_the_service_account() {
    let case = stored_in(json!({"gcs": {"bucket": "images"}}));
    assert_eq!(case.config()["storage"]["gcs"], json!({"bucket": "images"}));
    let mounts = Case::<Registry>::golden("harbor-2.9").container("registry").volume_mounts.unwrap();
    let key = mounts.into_iter().find(|mount| mount.name == "gcs-key").unwrap();
    assert_eq!(
        Case::<Registry>::golden("harbor-2.9").config()["storage"]["gcs"]["keyfile"],
        Value::from(key.mount_path)
    );
}

#[test]
fn what_the_schema_leaves_open_and_the_registry_needs_is_asked_for() {
    for (driver, fields) in [
        (json!({"azure": {}}), &["azure.accountname", "azure.container", "azure.accountkeyRef"][..]),
        (json!({"gcs": {}}), &["gcs.bucket"]),
        (
            json!({"swift": {"authurl": "https://keystone.example.com", "container": "images"}}),
            &["swift.username", "swift.passwordRef"],
        ),
    ] {
        let error = stored_in(driver).error();
        for field in fields {
            assert!(error.contains(&format!("spec.storage.driver.{field}: is not set")), "{error}");
        }
    }
}

#[test]
fn there_is_one_store() {
    let error = stored_in(json!({})).error();
    assert!(error.starts_with("spec.storage.driver: names 0 stores"), "{error}");
    let error = stored_in(json!({"inmemory": {}, "gcs": {"bucket": "images"}})).error();
    assert!(error.starts_with("spec.storage.driver: names 2 stores"), "{error}");
}

#[test]
fn an_access_key_is_in_the_spec_or_in_a_secret() {
    let error = Case::<Registry>::golden("full").set("/spec/storage/driver/s3/accesskey", json!("A")).error();
    assert!(error.starts_with("spec.storage.driver.s3.accesskeyRef: is set beside accesskey"), "{error}");
}

#[test]
fn options_are_read_as_in_the_file_and_may_not_be_secrets() {
    let options =
        |options| Case::<Registry>::golden("harbor-2.5").set("/spec/storage/driverOptions", options);
    let swift =
        options(json!({"tempurlcontainerkey": "false", "prefix": "\"on\""})).config()["storage"]["swift"]
            .clone();
    assert_eq!((&swift["tempurlcontainerkey"], &swift["prefix"]), (&json!(false), &json!("on")));
    let error = options(json!({"password": "x", "prefix": "{"})).error();
    assert!(error.contains("spec.storage.driverOptions[password]: is a secret"), "{error}");
    assert!(error.contains("spec.storage.driverOptions[prefix]: is not YAML"), "{error}");
}

#[test]
fn options_cannot_make_planning_expensive() {
    let bomb = "{a: &a [1, 1], b: &b [*a, *a], c: [*b, *b]}";
    let error = Case::<Registry>::golden("full")
        .set("/spec/storage/driverOptions", json!({"a": bomb, "b": "x".repeat(100_000)}))
        .with("mail", "smtp", bomb)
        .error();
    for problem in [
        "spec.storage.driverOptions[a]: has an anchor, an alias or a merge key of YAML; write the value out",
        "spec.storage.driverOptions[b]: is larger than a setting can be",
        "Secret registry/mail, key `smtp`: has an anchor",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn a_version_of_the_identity_api_is_a_number() {
    let swift = |version: &str| {
        Case::<Registry>::golden("harbor-2.5").set("/spec/storage/driver/swift/authversion", version.into())
    };
    assert_eq!(swift("2").config()["storage"]["swift"]["authversion"], 2);
    let error = swift("v3").error();
    assert!(error.starts_with("spec.storage.driver.swift.authversion: is not a version"), "{error}");
}

#[test]
fn a_directory_of_a_volume_is_within_it() {
    let error = Case::<Registry>::golden("tls")
        .set("/spec/storage/driver/filesystem/prefix", json!("/a/../.."))
        .error();
    assert!(error.starts_with("spec.storage.driver.filesystem.prefix: leads out"), "{error}");
}
