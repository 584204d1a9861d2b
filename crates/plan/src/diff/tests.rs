use super::*;
use crate::ObjectKey;
use api::names::INPUTS_ANNOTATION;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use serde_json::{Value, json};

fn text(change: &Change) -> String {
    let line = |shown: Shown| match shown {
        Shown::Gap => "~\n".to_owned(),
        Shown::Line(side, line) => {
            let sign = match side {
                Side::Both => ' ',
                Side::Before => '-',
                Side::After => '+',
            };
            format!("{sign} {line}\n")
        }
    };
    change.text().into_iter().map(line).collect()
}

fn deployment(image: &str, digest: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "core", "namespace": "ns", "resourceVersion": image, "uid": digest},
        "spec": {
            "replicas": 2,
            "template": {
                "metadata": {"annotations": {INPUTS_ANNOTATION: digest}},
                "spec": {"containers": [
                    {"name": "core", "image": image, "env": [
                        {"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "value": "3"},
                        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "key"}}},
                    ]},
                    {"name": "sidecar", "image": "busybox"},
                ]},
            },
        },
        "status": {"replicas": image.len()},
    })
}

fn secret(value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "ns"},
        "data": {"key": value, "other": "c2FtZQ=="},
    })
}

fn change(before: Option<Value>, after: Option<Value>) -> Option<Change> {
    let any = after.as_ref().or(before.as_ref()).unwrap();
    let key = if any["kind"] == "Secret" {
        ObjectKey::of::<Secret>("ns", "keys")
    } else {
        ObjectKey::of::<Deployment>("ns", "core")
    };
    Change::between(key, before, after)
}

#[test]
fn fields_that_the_api_server_sets_are_no_change() {
    let mut later = deployment("a", "1");
    later["metadata"]["resourceVersion"] = "7".into();
    later["metadata"]["generation"] = 3.into();
    later["metadata"]["managedFields"] = json!([{"manager": "m"}]);
    later["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    later["status"] = json!({"replicas": 5});
    assert_eq!(change(Some(deployment("a", "1")), Some(later)), None);
}

#[test]
fn only_changed_lines_and_their_parents_are_shown() {
    let change = change(Some(deployment("core:1", "1")), Some(deployment("core:2", "1"))).unwrap();
    assert_eq!(
        text(&change),
        [
            "  spec:",
            "    template:",
            "      spec:",
            "        containers:",
            "        - name: core",
            "-         image: core:1",
            "+         image: core:2",
            "        - name: sidecar",
            "          image: busybox",
            "",
        ]
        .join("\n")
    );
}

#[test]
fn values_of_secrets_are_masked_and_marked_as_changed() {
    let change = change(Some(secret("aHVudGVyMg==")), Some(secret("c3dvcmRmaXNo"))).unwrap();
    let shown = text(&change);
    assert_eq!(
        shown,
        "    namespace: ns\n  data:\n-   key: <masked>\n+   key: <masked, changed>\n    other: <masked>\n"
    );
    assert!(!format!("{change:?}").contains("hunter2"));
}

#[test]
fn a_new_secret_shows_its_keys_only() {
    let shown = text(&change(None, Some(secret("aHVudGVyMg=="))).unwrap());
    assert!(shown.contains("+   key: <masked>\n") && !shown.contains("aHVudGVyMg"), "{shown}");
}

#[test]
fn pods_restart_when_their_template_changes_and_the_reasons_are_named() {
    let changes = [
        change(Some(secret("MQ==")), Some(secret("Mg=="))).unwrap(),
        change(Some(deployment("core:1", "1")), Some(deployment("core:2", "2"))).unwrap(),
    ];
    let expected = Restart {
        workload: ObjectKey::of::<Deployment>("ns", "core"),
        pods: 2,
        reasons: vec!["Secret keys changes (key)".into(), "image core:1 → core:2".into()],
    };
    assert_eq!(restarts(&changes), [expected]);
}

#[test]
fn changing_the_number_of_pods_restarts_none() {
    let mut more = deployment("a", "1");
    more["spec"]["replicas"] = 3.into();
    assert_eq!(restarts(&[change(Some(deployment("a", "1")), Some(more)).unwrap()]), []);
}

#[test]
fn a_digest_of_values_that_are_not_generated_yet_is_not_shown() {
    let mut change = change(None, Some(deployment("a", "0123abcd"))).unwrap();
    change.hide_unknown_digest(&[ObjectKey::of::<Secret>("ns", "unused")].into());
    assert!(text(&change).contains("0123abcd"));
    change.hide_unknown_digest(&[ObjectKey::of::<Secret>("ns", "keys")].into());
    assert!(text(&change).contains("checksum.goharbor.io/inputs: <known when it is applied>\n"));
}

#[test]
fn text_of_many_lines_is_compared_line_by_line() {
    let map = |data: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"app.conf": data}});
    let key = ObjectKey::of::<k8s_openapi::api::core::v1::ConfigMap>("ns", "c");
    let change = Change::between(key, Some(map("a=1\nb=2\nc=3\n")), Some(map("a=1\nb=5\nc=3\n"))).unwrap();
    assert!(
        text(&change).ends_with("  data:\n    app.conf: |\n      a=1\n-     b=2\n+     b=5\n      c=3\n"),
        "{}",
        text(&change)
    );
}
