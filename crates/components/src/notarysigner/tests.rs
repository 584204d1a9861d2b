//! Tests of a NotarySigner.

use super::NotarySigner;
use crate::cases::Case;
use k8s_openapi::{ByteString, api::core::v1::Container};
use serde_json::{Value, json};

fn a_signer() -> Case<NotarySigner> {
    Case::golden("minimal")
}

fn settings(case: &Case<NotarySigner>) -> Value {
    let file: ByteString =
        serde_json::from_value(case.child("Secret")["data"]["signer.json"].clone()).unwrap();
    serde_json::from_slice(&file.0).unwrap()
}

fn container(case: &Case<NotarySigner>) -> Container {
    let container = case.child("Deployment").pointer("/spec/template/spec/containers/0").cloned();
    serde_json::from_value(container.unwrap()).unwrap()
}

#[test]
fn what_an_old_installation_depends_on_is_as_it_was() {
    let case = a_signer();
    let labels = json!({
        "notarysigner.goharbor.io/name": "harbor-notarysigner",
        "notarysigner.goharbor.io/namespace": "registry"
    });
    let (service, deployment) = (case.child("Service"), case.child("Deployment"));
    for child in [&service, &deployment] {
        assert_eq!(child["metadata"]["name"], "harbor-notarysigner");
    }
    assert_eq!(service["spec"]["selector"], labels);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(
        service["spec"]["ports"],
        json!([{"name": "api", "port": 7899, "protocol": "TCP", "targetPort": "api"}])
    );
    let container = container(&case);
    assert_eq!(container.name, "notarysigner");
    assert_eq!(container.image.as_deref(), Some("docker.io/goharbor/notary-signer-photon:v2.8.6"));
    assert_eq!(container.volume_mounts.unwrap()[0].mount_path, "/etc/notary-signer/signer.json");
}

#[test]
fn keys_that_were_encrypted_can_still_be_decrypted() {
    assert_eq!(settings(&a_signer())["storage"]["default_alias"], "default");
    let passwords = container(&a_signer()).env_from.unwrap().remove(0);
    assert_eq!(passwords.prefix.as_deref(), Some("NOTARY_SIGNER_"));
    assert_eq!(passwords.secret_ref.unwrap().name, "aliases");
}

#[test]
fn callers_must_show_a_certificate() {
    let server = &settings(&a_signer())["server"];
    assert_eq!(server["client_ca_file"], "/etc/notary-signer/certificates/ca.crt");
}

#[test]
fn b13_the_password_of_the_database_is_in_a_secret_only() {
    let case = Case::<NotarySigner>::golden("full");
    assert_eq!(
        settings(&case)["storage"]["db_url"],
        "postgres://notary:fake%3Ap%40ss%2Fw%23rd%201%25%24%28x%29@postgres.example.com:5433/notarysigner\
         ?sslmode=require"
    );
    for child in case.children().iter().filter(|child| child["kind"] != "Secret") {
        assert!(!child.to_string().contains("fake"), "{}", child["kind"]);
    }
}

#[test]
fn b38_a_signer_has_probes_that_need_no_certificate() {
    let container = container(&a_signer());
    for probe in [container.startup_probe, container.liveness_probe, container.readiness_probe] {
        assert!(probe.unwrap().tcp_socket.is_some());
    }
}

#[test]
fn a09_the_signer_has_a_network_policy_that_lets_its_port_through() {
    let case = Case::<NotarySigner>::golden("full");
    let policy = case.child("NetworkPolicy");
    assert_eq!(policy["metadata"]["name"], "harbor-notarysigner-ingress");
    assert_eq!(policy["spec"]["ingress"][0]["ports"], json!([{"port": "api", "protocol": "TCP"}]));
    let kinds: Vec<Value> = a_signer().children().into_iter().map(|child| child["kind"].clone()).collect();
    assert_eq!(kinds, ["Service", "Secret", "Deployment"]);
}

#[test]
fn b30_the_misspelt_field_is_read() {
    let stored = serde_json::to_value(&a_signer().owner).unwrap();
    assert_eq!(stored["spec"]["authentatication"]["certificateRef"], "signer-authentication");
}

#[test]
fn a_password_of_keys_that_is_missing_or_empty_is_refused() {
    let mut case = a_signer();
    let aliases = case.inputs.iter_mut().find(|input| input["metadata"]["name"] == "aliases").unwrap();
    aliases["data"] = json!({"default": "eA=="});
    assert_eq!(case.error(), "Secret registry/aliases, key `DEFAULT`: does not exist; add it to the Secret");
    let error = a_signer().with("aliases", "DEFAULT", "").error();
    assert!(error.starts_with("Secret registry/aliases, key `DEFAULT`: is empty"), "{error}");
}

#[test]
fn harbor_2_9_has_no_notary() {
    let error = a_signer().annotated("harbor.goharbor.io/version", "2.9.0").error();
    assert!(error.starts_with("this notarysigner: Harbor 2.9.0 has no Notary"), "{error}");
}

#[test]
fn b39_all_missing_objects_are_reported_at_once() {
    let case = Case::<NotarySigner>::golden("full");
    assert_eq!(
        case.without("postgres").without("aliases").without("signer-authentication").error(),
        "Secret registry/aliases, Secret registry/postgres, Secret registry/signer-authentication do not exist; \
         create them"
    );
}
