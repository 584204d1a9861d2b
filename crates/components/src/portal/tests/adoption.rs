//! Compares with objects of the operator's predecessor, if a copy of them is available.

use super::{Portal, configuration};
use crate::tests::predecessor::Predecessor;

#[test]
fn the_old_deployment_is_adopted_in_place() {
    let Some(old) = Predecessor::<Portal>::at_hand() else { return };
    for child in old.case.children() {
        let was = old.child(child["kind"].as_str().unwrap());
        for pointer in [
            "/metadata/name",
            "/metadata/namespace",
            "/metadata/ownerReferences",
            "/spec/selector",
            "/spec/ports",
            "/spec/template/spec/containers/0/name",
            "/spec/template/spec/containers/0/image",
            "/spec/template/spec/containers/0/ports",
            "/spec/template/spec/containers/0/volumeMounts/0/name",
            "/spec/template/spec/containers/0/volumeMounts/0/mountPath",
        ] {
            assert_eq!(child.pointer(pointer), was.pointer(pointer), "{} {pointer}", child["kind"]);
        }
    }
}

#[test]
fn the_old_configuration_is_kept_but_for_white_space() {
    let Some(old) = Predecessor::<Portal>::at_hand() else { return };
    let was: k8s_openapi::ByteString =
        serde_json::from_value(old.child("ConfigMap")["binaryData"]["nginx.conf"].clone()).unwrap();
    let was = String::from_utf8(was.0).unwrap();
    let now = configuration(&old.case);
    assert_eq!(now.split_whitespace().collect::<Vec<_>>(), was.split_whitespace().collect::<Vec<_>>());
}
