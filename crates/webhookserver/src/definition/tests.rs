use super::{Definition, names, patches, to_migrate};
use crate::{
    settings::{Certificate, Reach, Settings},
    trust::Trust,
};
use kube::api::Patch;
use serde_json::{Value, json};

fn trust() -> Trust {
    Trust::Authority("PEM".into())
}

/// A definition with these fields, and with both versions unless they say otherwise.
fn definition(fields: Value) -> Definition {
    let mut object = json!({
        "metadata": { "name": "portals.goharbor.io" },
        "spec": {
            "names": { "kind": "Portal", "plural": "portals" },
            "versions": [{ "name": "v1alpha3", "storage": false }, { "name": "v1beta1", "storage": true }],
        },
    });
    merge(&mut object, fields);
    serde_json::from_value(object).unwrap()
}

fn merge(object: &mut Value, fields: Value) {
    match fields {
        Value::Object(fields) => fields.into_iter().for_each(|(name, value)| merge(&mut object[name], value)),
        value => *object = value,
    }
}

fn wanted() -> Value {
    json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {
                "service": { "namespace": "ops", "name": "hooks", "path": "/convert", "port": 443 },
                "caBundle": "UEVN",
            },
            "conversionReviewVersions": ["v1"],
        },
    })
}

fn applied(metadata: Value, conversion: Value) -> Patch<Value> {
    Patch::Apply(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": { "conversion": conversion },
    }))
}

fn named() -> Value {
    json!({ "name": "portals.goharbor.io" })
}

/// Compares patches, which have no equality of their own.
#[track_caller]
fn assert_sent(settings: &Settings, trust: &Trust, before: &Definition, expected: &[Patch<Value>]) {
    let sent = patches(settings, trust, before);
    assert_eq!(format!("{sent:?}"), format!("{expected:?}"));
}

#[test]
fn a_definition_with_v1alpha3_gets_the_webhook_and_its_authority() {
    let before = definition(json!({ "spec": { "conversion": { "strategy": "None" } } }));
    assert_sent(&Settings::example(), &trust(), &before, &[applied(named(), wanted())]);
}

#[test]
fn nothing_is_sent_while_nothing_differs() {
    let before = definition(json!({ "spec": { "conversion": wanted() } }));
    assert_sent(&Settings::example(), &trust(), &before, &[]);
    let other = Trust::Authority("other".into());
    assert_eq!(patches(&Settings::example(), &other, &before).len(), 1);
}

#[test]
fn a_definition_with_v1beta1_only_is_left_alone() {
    let versions = json!([{ "name": "v1beta1", "storage": true }]);
    let before =
        definition(json!({ "spec": { "versions": versions, "conversion": { "strategy": "None" } } }));
    assert_sent(&Settings::example(), &trust(), &before, &[]);
}

#[test]
fn a_definition_that_has_lost_v1alpha3_loses_the_webhook_of_the_operator_and_no_other() {
    let without = |service: &str| {
        let mut conversion = wanted();
        conversion["webhook"]["clientConfig"]["service"]["name"] = service.into();
        let versions = json!([{ "name": "v1beta1", "storage": true }]);
        definition(json!({ "spec": { "versions": versions, "conversion": conversion } }))
    };
    let none = json!({ "spec": { "conversion": { "strategy": "None", "webhook": null } } });
    assert_sent(&Settings::example(), &trust(), &without("hooks"), &[Patch::Merge(none)]);
    assert_sent(&Settings::example(), &trust(), &without("others"), &[]);
}

#[test]
fn the_webhook_and_the_certificate_of_the_old_operator_are_replaced() {
    let settings = Settings { reach: Reach::At { host: "there".into(), port: 8 }, ..Settings::example() };
    let before = definition(json!({
        "metadata": { "annotations": { "cert-manager.io/inject-ca-from": "old/serving-cert" } },
        "spec": { "conversion": { "strategy": "Webhook", "webhook": {
            "clientConfig": { "service": { "namespace": "old", "name": "webhook-service" }, "caBundle": "b2xk" },
            "conversionReviewVersions": ["v1"],
        } } },
    }));
    let mut conversion = wanted();
    conversion["webhook"]["clientConfig"] = json!({ "url": "https://there:8/convert", "caBundle": "UEVN" });
    let apply = applied(named(), conversion.clone());
    conversion["webhook"]["clientConfig"]["service"] = Value::Null;
    let merge = Patch::Merge(json!({
        "spec": { "conversion": conversion },
        "metadata": { "annotations": { "cert-manager.io/inject-ca-from": null } },
    }));
    assert_sent(&settings, &trust(), &before, &[merge, apply]);
}

#[test]
fn cert_manager_keeps_its_authority_if_its_certificate_is_used() {
    let settings =
        Settings { certificate: Certificate::CertManager("serving".into()), ..Settings::example() };
    let annotations = json!({ "cert-manager.io/inject-ca-from": "ops/serving" });
    let mut conversion = wanted();
    conversion["webhook"]["clientConfig"].as_object_mut().unwrap().remove("caBundle");
    let metadata = json!({ "name": "portals.goharbor.io", "annotations": annotations });
    let before = definition(json!({}));
    assert_sent(&settings, &Trust::Injected, &before, &[applied(metadata, conversion)]);
    let injected = json!({ "metadata": { "annotations": annotations }, "spec": { "conversion": wanted() } });
    assert_sent(&settings, &Trust::Injected, &definition(injected), &[]);
}

#[test]
fn objects_are_migrated_if_some_may_be_stored_as_v1alpha3_and_new_ones_are_not() {
    let stored = |versions: Value| json!({ "status": { "storedVersions": versions } });
    let both = definition(stored(json!(["v1alpha3", "v1beta1"])));
    let resource = to_migrate(&both).unwrap();
    assert_eq!((resource.api_version.as_str(), resource.plural.as_str()), ("goharbor.io/v1beta1", "portals"));
    assert_eq!(to_migrate(&definition(stored(json!(["v1beta1"])))), None);
    assert_eq!(to_migrate(&definition(json!({}))), None);
    let versions = json!([{ "name": "v1alpha3", "storage": true }, { "name": "v1beta1", "storage": false }]);
    let old = json!({ "spec": { "versions": versions }, "status": { "storedVersions": ["v1alpha3"] } });
    assert_eq!(to_migrate(&definition(old)), None);
}

#[test]
fn twelve_kinds_have_both_versions() {
    assert_eq!(names().len(), 12);
    assert!(names().contains(&"harborclusters.goharbor.io".to_owned()));
}
