use crate::run::{Folder, documents};
use api::conversion::{ConversionWebhook, kinds, serve_v1alpha3};
use serde_json::{Value, json};

fn expected() -> Vec<Value> {
    api::crds::all().iter().map(|definition| serde_json::to_value(definition).unwrap()).collect()
}

#[test]
fn all_definitions_are_printed_as_yaml() {
    let ran = Folder::empty().run("crds");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(documents(&ran.stdout), expected());
}

#[test]
fn all_definitions_are_printed_as_a_json_list() {
    let ran = Folder::empty().run("crds --output json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(list, json!({"apiVersion": "v1", "kind": "List", "items": expected()}));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Folder::empty().command("crds").spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn v1alpha3_is_served_only_with_a_webhook_that_converts() {
    let ran = Folder::empty().run("crds --conversion-webhook operators/webhooks");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let webhook = ConversionWebhook::Service { namespace: "operators".into(), name: "webhooks".into() };
    let expected = serve_v1alpha3(api::crds::all(), &webhook);
    let expected: Vec<Value> = expected.iter().map(|crd| serde_json::to_value(crd).unwrap()).collect();
    let definitions = documents(&ran.stdout);
    assert_eq!(definitions, expected);

    let with_webhook = definitions.iter().filter(|crd| crd["spec"]["conversion"]["strategy"] == "Webhook");
    let mut with_webhook: Vec<_> =
        with_webhook.map(|crd| crd["spec"]["names"]["kind"].as_str().unwrap()).collect();
    with_webhook.sort_unstable();
    assert_eq!(with_webhook, kinds().collect::<Vec<_>>());
}

#[test]
fn a_webhook_outside_of_the_cluster_has_a_url() {
    let ran = Folder::empty().run("crds --conversion-webhook https://10.0.0.1:9443");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let definitions = documents(&ran.stdout);
    let cluster = definitions.iter().find(|crd| crd["spec"]["names"]["kind"] == "HarborCluster").unwrap();
    let expected = json!({"url": "https://10.0.0.1:9443/convert"});
    assert_eq!(cluster["spec"]["conversion"]["webhook"]["clientConfig"], expected);
}

#[test]
fn a_webhook_needs_namespace_and_name() {
    for wrong in ["webhooks", "/webhooks", "operators/", "a/b/c", "https://", "http://a"] {
        let ran = Folder::empty().run(&format!("crds --conversion-webhook {wrong}"));
        assert_eq!(ran.code, Some(2));
        let expected =
            format!("error: invalid value '{wrong}' for '--conversion-webhook <NAMESPACE/SERVICE|URL>'");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    }
}
