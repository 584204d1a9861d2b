use super::{HarborConfiguration, checks::field, settings::settings};
use crate::{
    cases::{Case, base64},
    core::Core,
    harbor::Harbor,
    harborcluster::HarborCluster,
};
use api::v1beta1::{self, harborconfiguration::HarborConfigurationSettings};
use harbor::configurations::{KEYS, Writable};
use harborstate::{State as _, server};
use kube::CustomResourceExt as _;
use plan::{Defaults, ObjectKey, PlanError, Planned, Policy, Snapshot};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, sync::Arc};

fn state(settings_of_spec: Value) -> Value {
    let wanted: HarborConfigurationSettings = serde_json::from_value(settings_of_spec).unwrap();
    serde_json::to_value(settings(&wanted).unwrap()).unwrap()
}

#[test]
fn only_what_is_present_is_sent_and_zero_false_and_empty_are_present() {
    assert_eq!(state(json!({})), json!({}));
    let spec = json!({"ldapTimeout": 0, "selfRegistration": false, "oidcGroupFilter": ""});
    assert_eq!(state(spec), json!({"ldap_timeout": 0, "self_registration": false, "oidc_group_filter": ""}));
}

#[test]
fn lists_maps_and_banners_are_sent_in_the_form_in_which_harbor_is_compared() {
    let spec = json!({
        "oidcScope": "openid, email ,profile",
        "oidcExtraRedirectParms": "{ \"prompt\": \"login\" }",
        "disabledAuditLogEventTypes": ["pull_artifact", "create_artifact"],
        "httpAuthproxyServerCertificate": true,
        "httpAuthproxyServerCertificatePem": "PEM",
        "bannerMessage": {
            "message": "Closed", "fromDate": "2026-12-24T18:00:00Z", "toDate": "2026-12-26T00:00:00Z",
        },
    });
    let expected = json!({
        "oidc_scope": "openid,email,profile",
        "oidc_extra_redirect_parms": {"prompt": "login"},
        "disabled_audit_log_event_types": ["create_artifact", "pull_artifact"],
        "http_authproxy_server_certificate": "PEM",
        "banner_message": {
            "message": "Closed", "type": "info", "closable": false,
            "from_date": "12/24/2026", "to_date": "12/26/2026",
        },
    });
    assert_eq!(state(spec), expected);
    let removed = json!({"message": "", "type": "", "closable": false, "from_date": "", "to_date": ""});
    assert_eq!(state(json!({"bannerMessage": {"message": ""}})), json!({"banner_message": removed}));
}

#[test]
fn parameters_that_are_no_object_of_texts_are_refused_without_being_quoted() {
    let spec = json!({"oidcExtraRedirectParms": "hunter2"});
    let error = settings(&serde_json::from_value(spec).unwrap()).unwrap_err();
    let expected = "spec.configuration.oidcExtraRedirectParms: is not a JSON object of texts; \
                    write it as {\"prompt\": \"login\"}";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn every_setting_of_harbor_has_a_field_and_errors_name_it() {
    let definition = serde_json::to_value(v1beta1::HarborConfiguration::crd()).unwrap();
    let schema =
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/configuration/properties";
    let fields: BTreeSet<_> = definition.pointer(schema).unwrap().as_object().unwrap().keys().collect();
    let writable = KEYS.iter().filter(|key| key.writable == Writable::Yes);
    for name in writable.map(|key| field(key.name)) {
        let name = name.trim_start_matches("spec.configuration.");
        assert!(fields.contains(&name.to_owned()), "{name}");
    }
}

#[test]
fn the_old_reference_names_a_cluster_first_and_a_harbor_otherwise() {
    let spec = json!({"harborClusterRef": "acme", "configuration": {"readOnly": false}});
    let owner = json!({"metadata": {"name": "settings", "namespace": "ns"}, "spec": spec});
    let owner: v1beta1::HarborConfiguration = serde_json::from_value(owner).unwrap();
    let object = |object: Value| Some(Arc::new(serde_json::from_value(object).unwrap()));
    let cluster = object(json!(Case::<HarborCluster>::golden("database-external").owner));
    let harbor = object(json!(Case::<Harbor>::golden("minimal").owner));
    let cluster_key = ObjectKey::of::<v1beta1::HarborCluster>("ns", "acme");
    let harbor_key = ObjectKey::of::<v1beta1::Harbor>("ns", "acme");
    let planned = |cluster, harbor| {
        let snapshot = Snapshot::from([(cluster_key.clone(), cluster), (harbor_key.clone(), harbor)]);
        match plan::plan::<HarborConfiguration>(&owner, &snapshot) {
            Planned::Needs(needed) => Ok(needed.keys),
            Planned::Failed { error, .. } => Err(error),
            Planned::Done(_) => panic!("it was planned without a Harbor"),
        }
    };
    let asks = |name: &str| {
        let system = harborstate::system("ns", name);
        Ok([ObjectKey::external(&system, server::Server::COLLECTION, server::NAME)].into())
    };
    assert_eq!(planned(cluster, harbor.clone()), asks("acme-harbor"));
    assert_eq!(planned(None, harbor), asks("acme"));
    assert_eq!(planned(None, None), Err(PlanError::Missing([harbor_key.clone()].into())));
}

/// The write-only fields of a garbage collection in a Harbor whose Redis has this password. `changes` is how often all pods of
/// Core have got another one.
fn frozen(password: &str, changes: Option<&str>) -> Map<String, Value> {
    let mut core = json!(Case::<Core>::golden("full").owner);
    core["metadata"]["name"] = "acme-harbor".into();
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "redis", "namespace": "registry"},
        "data": {"redis-password": base64(password.as_bytes())},
    });
    let record = changes.map(|changes| {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
            "data": {"redis-access-changes": base64(changes.as_bytes())},
        })
    });
    let owner = json!({
        "metadata": {"name": "settings", "namespace": "registry"},
        "spec": {
            "harborRef": {"name": "acme", "kind": "Harbor"},
            "schedules": {"garbageCollection": {"schedule": {"type": "Daily"}}},
        },
    });
    let case = Case::<HarborConfiguration> {
        owner: serde_json::from_value(owner).unwrap(),
        inputs: [core, secret].into_iter().chain(record).collect(),
        without: Vec::new(),
        defaults: Defaults::default(),
    };
    let plan = case.plan().unwrap();
    let write_only = plan.graph.iter().find_map(|(_, desired, _)| match &desired.policy {
        Policy::External(external) => Some(external.write_only.clone()),
        _ => None,
    });
    write_only.unwrap()
}

#[test]
fn a_garbage_collection_is_scheduled_again_when_the_redis_that_harbor_froze_into_it_changes() {
    assert_eq!(frozen("old", None).keys().collect::<Vec<_>>(), ["set_again"]);
    assert_eq!(frozen("old", None), frozen("old", None));
    assert_ne!(frozen("old", None), frozen("new", None));
    assert_ne!(frozen("new", None), frozen("new", Some("1")), "all pods of Core have the new one");
    assert_ne!(frozen("new", Some("1")), frozen("new", Some("2")));
}
