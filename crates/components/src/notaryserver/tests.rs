//! Tests of a NotaryServer.

use super::NotaryServer;
use crate::cases::Case;
use k8s_openapi::{ByteString, api::core::v1::Container};
use serde_json::{Value, json};

const VERSION: &str = "harbor.goharbor.io/version";

fn a_server() -> Case<NotaryServer> {
    Case::golden("minimal")
}

fn full() -> Case<NotaryServer> {
    Case::golden("full")
}

fn kept(case: &Case<NotaryServer>, key: &str) -> String {
    let bytes: ByteString = serde_json::from_value(case.child("Secret")["data"][key].clone()).unwrap();
    String::from_utf8(bytes.0).unwrap()
}

fn settings(case: &Case<NotaryServer>) -> Value {
    serde_json::from_str(&kept(case, "server.json")).unwrap()
}

fn container(case: &Case<NotaryServer>) -> Container {
    let container = case.child("Deployment").pointer("/spec/template/spec/containers/0").cloned();
    serde_json::from_value(container.unwrap()).unwrap()
}

#[test]
fn what_an_old_installation_depends_on_is_as_it_was() {
    let case = a_server();
    let labels = json!({
        "notaryserver.goharbor.io/name": "harbor-notaryserver",
        "notaryserver.goharbor.io/namespace": "registry"
    });
    let (service, deployment) = (case.child("Service"), case.child("Deployment"));
    for child in [&service, &deployment] {
        assert_eq!(child["metadata"]["name"], "harbor-notaryserver");
    }
    assert_eq!(service["spec"]["selector"], labels);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(
        service["spec"]["ports"],
        json!([{"name": "api", "port": 80, "protocol": "TCP", "targetPort": "api"}])
    );
    let container = container(&case);
    assert_eq!(container.name, "notaryserver");
    assert_eq!(container.image.as_deref(), Some("docker.io/goharbor/notary-server-photon:v2.8.6"));
    assert_eq!(container.ports.unwrap()[0].container_port, 4443);
    assert_eq!(container.volume_mounts.unwrap()[0].mount_path, "/etc/notary-server/server.json");
}

#[test]
fn b13_the_password_of_the_database_is_in_a_secret_only() {
    let url = "postgres://notary%40example:fake%3Ap%40ss%2Fw%23rd%201%25%24%28x%29@postgres-0.example.com:5433/\
               notary%2Fserver?application_name=notary%20server&sslmode=verify-full";
    assert_eq!(kept(&full(), "DB_URL"), url);
    assert_eq!(settings(&full())["storage"], json!({"backend": "postgres", "db_url": url}));
    for child in full().children().iter().filter(|child| child["kind"] != "Secret") {
        assert!(!child.to_string().contains("fake"), "{}", child["kind"]);
    }
}

#[test]
fn b13_the_migration_takes_the_url_from_the_environment() {
    let container = container(&full());
    assert!(container.args.unwrap()[1].starts_with("migrate-patch -database=\"$DB_URL\" && "));
    let url = container.env.unwrap().into_iter().find(|variable| variable.name == "DB_URL").unwrap();
    assert_eq!(url.value_from.unwrap().secret_key_ref.unwrap().name, "harbor-notaryserver");
}

#[test]
fn the_database_is_migrated_unless_the_user_disables_it() {
    for (migration, migrates) in [(json!(null), true), (json!(true), true), (json!(false), false)] {
        let command = container(&a_server().set("/spec/migrationEnabled", migration)).args.unwrap().remove(1);
        assert_eq!(command.contains("migrate"), migrates, "{command}");
        assert!(command.ends_with("exec notary-server -config /etc/notary-server/server.json"), "{command}");
    }
}

#[test]
fn b31_contour_gets_an_annotation_for_tls_only_if_there_is_tls() {
    let annotations = |case: &str| {
        Case::<NotaryServer>::golden(case).child("Service")["metadata"].get("annotations").cloned()
    };
    assert_eq!(annotations("full"), None);
    assert_eq!(annotations("tls"), Some(json!({"projectcontour.io/upstream-protocol.tls": "api"})));
}

#[test]
fn b38_a_server_has_probes_and_lives_on_without_database_and_signer() {
    let container = container(&a_server());
    assert!(container.startup_probe.is_some());
    assert!(container.liveness_probe.unwrap().http_get.is_none());
    let ready = container.readiness_probe.unwrap().http_get.unwrap();
    assert_eq!(ready.path.as_deref(), Some("/_notary_server/health"));
}

#[test]
fn without_a_signer_keys_stay_in_the_server() {
    assert_eq!(settings(&Case::golden("tls"))["trust_service"], json!({"type": "local"}));
}

#[test]
fn a_signer_may_do_without_a_certificate_of_ours() {
    let case = a_server().set("/spec/trustService/remote/certificateRef", Value::Null);
    assert_eq!(
        settings(&case)["trust_service"],
        json!({"type": "remote", "hostname": "harbor-notarysigner", "port": "7899", "key_algorithm": "ecdsa"})
    );
    assert_eq!(container(&case).volume_mounts.unwrap().len(), 1);
}

#[test]
fn the_key_that_signs_tokens_stays_out_of_the_pods() {
    let deployment = full().child("Deployment");
    let volumes = deployment.pointer("/spec/template/spec/volumes").unwrap().as_array().unwrap();
    let token = volumes.iter().find(|volume| volume["name"] == "auth-certificates").unwrap();
    assert_eq!(token["secret"]["items"], json!([{"key": "tls.crt", "path": "tls.crt"}]));
}

#[test]
fn a_password_need_not_be() {
    assert_eq!(kept(&a_server(), "DB_URL"), "postgres://postgres.example.com:5432/notaryserver");
}

#[test]
fn harbor_2_9_has_no_notary() {
    assert!(a_server().annotated(VERSION, "2.8.0").plan().is_ok());
    assert_eq!(
        a_server().annotated(VERSION, "2.9.0").error(),
        "this notaryserver: Harbor 2.9.0 has no Notary: it ended with Harbor 2.9; \
         remove this notaryserver, or stay below Harbor 2.9"
    );
}

#[test]
fn an_image_of_unknown_version_is_taken_at_its_word() {
    let mut case = a_server().set("/spec/image", json!("example/notary:mine"));
    case.owner.metadata.annotations = None;
    assert!(case.plan().is_ok());
}

#[test]
fn all_problems_are_reported_at_once() {
    let error = full()
        .set("/spec/storage/postgres/hosts", json!([]))
        .set("/spec/storage/postgres/parameters/sslmode", json!("prefer"))
        .set("/spec/tls", json!({}))
        .with("postgres", "postgres-password", "")
        .with("token", "tls.crt", "")
        .error();
    for problem in [
        "spec.storage.postgres.hosts: is empty",
        "spec.storage.postgres.parameters.sslmode: \"prefer\" is not known to Notary",
        "spec.tls.certificateRef: is not set although TLS is on",
        "Secret registry/postgres, key `postgres-password`: is empty",
        "Secret registry/token, key `tls.crt`: is empty",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn b39_all_missing_objects_are_reported_at_once() {
    assert_eq!(
        full().without("postgres").without("token").without("server-authentication").error(),
        "Secret registry/postgres, Secret registry/server-authentication, Secret registry/token do not exist; \
         create them"
    );
}

#[test]
fn a_server_without_a_database_is_refused() {
    let error = a_server().set("/spec/storage", Value::Null).error();
    assert!(error.starts_with("spec.storage: is not set"), "{error}");
}
