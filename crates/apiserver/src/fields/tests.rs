//! Owners and configurations. The messages are those of kube-apiserver 1.37.

use super::{
    ApplyError, Force, apply,
    fixture::{LATER, NOON, a_thing, applied, fields_of, manager, thing, updated},
    same_but_for_times, update,
};
use serde_json::{Value, json};

fn message(outcome: Result<Value, ApplyError>) -> (u16, String) {
    let failure = outcome.unwrap_err().failure();
    (failure.code.as_u16(), failure.message)
}

#[test]
fn applying_creates_the_object_and_owns_its_leaves() {
    let object =
        applied(None, &a_thing(json!({"scalar": "a", "tags": {"k": "v"}})), "one", Force::No).unwrap();
    assert_eq!(
        object,
        json!({
            "apiVersion": "t.example/v1",
            "kind": "Thing",
            "metadata": {
                "name": "it",
                "namespace": "default",
                "managedFields": [{
                    "manager": "one",
                    "operation": "Apply",
                    "apiVersion": "t.example/v1",
                    "time": NOON,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:spec": {"f:scalar": {}, "f:tags": {"f:k": {}}}},
                }],
            },
            "spec": {"scalar": "a", "tags": {"k": "v"}},
        })
    );
}

#[test]
fn dropping_a_field_from_the_applied_configuration_removes_it() {
    let first =
        a_thing(json!({"scalar": "a", "items": [{"name": "n1"}, {"name": "n2"}], "tags": {"k": "v"}}));
    let live = applied(None, &first, "one", Force::No).unwrap();
    let object =
        applied(Some(&live), &a_thing(json!({"items": [{"name": "n2"}]})), "one", Force::No).unwrap();
    assert_eq!(object["spec"], json!({"items": [{"name": "n2"}]}));
}

#[test]
fn a_dropped_field_that_another_manager_owns_stays() {
    let live = applied(None, &a_thing(json!({"scalar": "a", "count": 1})), "one", Force::No).unwrap();
    let live = applied(Some(&live), &a_thing(json!({"scalar": "a"})), "two", Force::No).unwrap();
    let object = applied(Some(&live), &a_thing(json!({"count": 1})), "one", Force::No).unwrap();
    assert_eq!(object["spec"], json!({"scalar": "a", "count": 1}));
}

#[test]
fn applying_what_is_there_shares_ownership_and_leaves_the_new_owner_without_a_time() {
    let config = a_thing(json!({"scalar": "a"}));
    let live = applied(None, &config, "one", Force::No).unwrap();
    let object = applied(Some(&live), &config, "two", Force::No).unwrap();
    let entry = |manager: &str, time: Option<&str>| {
        let mut entry = json!({
            "manager": manager,
            "operation": "Apply",
            "apiVersion": "t.example/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:scalar": {}}},
        });
        if let Some(time) = time {
            entry["time"] = time.into();
        }
        entry
    };
    assert_eq!(object["metadata"]["managedFields"], json!([entry("two", None), entry("one", Some(NOON))]));
}

#[test]
fn another_value_conflicts_and_force_takes_the_field() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    let other = a_thing(json!({"scalar": "b"}));
    assert_eq!(
        message(applied(Some(&live), &other, "two", Force::No)),
        (409, "Apply failed with 1 conflict: conflict with \"one\": .spec.scalar".to_owned())
    );
    let object = applied(Some(&live), &other, "two", Force::Yes).unwrap();
    assert_eq!(object["spec"], json!({"scalar": "b"}));
    assert_eq!(fields_of(&object, "one", "Apply"), None);
    assert_eq!(fields_of(&object, "two", "Apply"), Some(json!({"f:spec": {"f:scalar": {}}})));
}

#[test]
fn conflicts_with_several_owners_are_grouped_by_owner() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    let mut new = live.clone();
    new["spec"]["count"] = json!(1);
    new["spec"]["atomicList"] = json!(["x"]);
    let live = updated(Some(&live), new, "kubectl-edit");
    let config = a_thing(json!({"scalar": "b", "count": 2, "atomicList": []}));
    let failure = applied(Some(&live), &config, "two", Force::No).unwrap_err().failure();
    assert_eq!(
        failure.message,
        "Apply failed with 3 conflicts: conflicts with \"kubectl-edit\" using t.example/v1:\n\
         - .spec.atomicList\n- .spec.count\nconflicts with \"one\":\n- .spec.scalar"
    );
    let cause = |message: &str, field: &str| json!({"reason": "FieldManagerConflict", "message": message, "field": field});
    assert_eq!(
        failure.details["causes"],
        json!([
            cause("conflict with \"kubectl-edit\" using t.example/v1", ".spec.atomicList"),
            cause("conflict with \"kubectl-edit\" using t.example/v1", ".spec.count"),
            cause("conflict with \"one\"", ".spec.scalar"),
        ])
    );
}

#[test]
fn items_come_in_the_order_of_the_configuration_and_others_stay_in_between() {
    let live = applied(None, &a_thing(json!({"set": ["a", "b", "c", "d"]})), "one", Force::No).unwrap();
    let object = applied(Some(&live), &a_thing(json!({"set": ["c", "a", "e"]})), "two", Force::No).unwrap();
    assert_eq!(object["spec"]["set"], json!(["b", "c", "d", "a", "e"]));
}

#[test]
fn a_key_that_is_left_out_counts_as_its_default() {
    let live = a_thing(json!({"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}));
    let live = updated(None, live, "creator");
    let object =
        applied(Some(&live), &a_thing(json!({"ports": [{"port": 80, "name": "http"}]})), "one", Force::No)
            .unwrap();
    assert_eq!(object["spec"], live["spec"]);
    assert_eq!(
        fields_of(&object, "one", "Apply"),
        Some(
            json!({"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}, "f:port": {}}}}})
        )
    );
}

#[test]
fn an_update_takes_the_fields_that_it_changes_from_all_owners() {
    let live =
        applied(None, &a_thing(json!({"scalar": "a", "count": 1, "set": ["x"]})), "one", Force::No).unwrap();
    let mut new = live.clone();
    new["spec"] = json!({"scalar": "b", "count": 1});
    let object = updated(Some(&live), new, "two");
    assert_eq!(fields_of(&object, "one", "Apply"), Some(json!({"f:spec": {"f:count": {}}})));
    assert_eq!(fields_of(&object, "two", "Update"), Some(json!({"f:spec": {"f:scalar": {}}})));
}

#[test]
fn an_update_that_changes_nothing_leaves_the_owners_alone() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    assert_eq!(updated(Some(&live), live.clone(), "two"), live);
    let mut without = live.clone();
    without["metadata"].as_object_mut().unwrap().remove("managedFields");
    assert_eq!(updated(Some(&live), without, "two"), live);
}

#[test]
fn an_empty_list_or_an_empty_entry_resets_the_owners_until_the_next_apply() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    for reset in [json!([]), json!([{}])] {
        let mut new = live.clone();
        new["metadata"]["managedFields"] = reset;
        let object = updated(Some(&live), new, "two");
        assert_eq!(object["metadata"], json!({"name": "it", "namespace": "default"}));
        let mut changed = object.clone();
        changed["spec"]["scalar"] = json!("b");
        let object = updated(Some(&object), changed, "two");
        let object = applied(Some(&object), &a_thing(json!({"count": 1})), "one", Force::No).unwrap();
        assert_eq!(
            fields_of(&object, "before-first-apply", "Update"),
            Some(json!({"f:spec": {".": {}, "f:scalar": {}}}))
        );
    }
}

#[test]
fn owners_that_the_client_sends_replace_the_old_ones_unless_they_make_no_sense() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    let entry = json!({
        "manager": "me", "operation": "Update", "apiVersion": "t.example/v1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:scalar": {}}},
    });
    let mut new = live.clone();
    new["metadata"]["managedFields"] = json!([entry]);
    assert_eq!(updated(Some(&live), new.clone(), "two")["metadata"]["managedFields"], json!([entry]));
    new["metadata"]["managedFields"] = json!([{"manager": "me"}]);
    assert_eq!(updated(Some(&live), new, "two"), live);
}

#[test]
fn a_subresource_has_owners_of_its_own_and_cannot_touch_the_rest() {
    let live = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    let mut config = a_thing(json!({"scalar": "ignored"}));
    config["status"] = json!({"phase": "Ready"});
    let mut writer = manager("one", LATER);
    writer.subresource = Some("status");
    let object =
        apply(&thing(), Some(&live), &config, &writer, Force::No, &[&["metadata"], &["spec"]]).unwrap();
    assert_eq!((&object["spec"], &object["status"]), (&json!({"scalar": "a"}), &json!({"phase": "Ready"})));
    assert_eq!(
        object["metadata"]["managedFields"][1],
        json!({
            "manager": "one", "operation": "Apply", "apiVersion": "t.example/v1", "time": LATER,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:phase": {}}}, "subresource": "status",
        })
    );
    let main = applied(Some(&object), &config, "two", Force::Yes).unwrap();
    assert_eq!(main["status"], json!({"phase": "Ready"}));
    config["status"]["phase"] = json!("Other");
    writer.name = "two";
    assert_eq!(
        message(apply(&thing(), Some(&object), &config, &writer, Force::No, &[&["metadata"], &["spec"]])),
        (
            409,
            "Apply failed with 1 conflict: conflict with \"one\" with subresource \"status\": .status.phase"
                .to_owned()
        )
    );
}

#[test]
fn more_than_ten_updaters_are_merged_oldest_first() {
    let mut live = updated(None, a_thing(json!({"tags": {"k0": "v"}})), "m0");
    for number in 1..=10 {
        let mut new = live.clone();
        new["spec"]["tags"][format!("k{number}")] = json!("v");
        let now = format!("2026-01-01T12:00:{number:02}Z");
        update(&thing(), Some(&live), &mut new, &manager(&format!("m{number}"), &now), &[]);
        live = new;
    }
    let entries = live["metadata"]["managedFields"].as_array().unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry["manager"].as_str().unwrap()).collect();
    assert_eq!(names, ["ancient-changes", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10"]);
    assert_eq!(entries[0]["time"], "2026-01-01T12:00:01Z");
    assert_eq!(
        entries[0]["fieldsV1"],
        json!({"f:spec": {".": {}, "f:tags": {".": {}, "f:k0": {}, "f:k1": {}}}})
    );
}

#[test]
fn creating_a_built_in_kind_owns_no_struct_that_is_always_there() {
    let mut service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "it"},
        "spec": {"type": "ClusterIP", "selector": {"app": "web"}}, "status": {"loadBalancer": {}},
    });
    let writer = super::Manager { name: "kubectl", subresource: None, api_version: "v1", now: NOON };
    update(&crate::schema::Schema::default(), None, &mut service, &writer, &[&["status"]]);
    assert_eq!(
        fields_of(&service, "kubectl", "Update"),
        Some(json!({"f:spec": {"f:selector": {".": {}, "f:app": {}}, "f:type": {}}}))
    );
}

#[test]
fn kubectl_takes_over_what_it_applied_from_the_client_side() {
    const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let config = a_thing(json!({"scalar": "a"}));
    let mut live = config.clone();
    live["metadata"]["annotations"] = json!({ANNOTATION: config.to_string()});
    let live = updated(None, live, "kubectl-client-side-apply");
    let next = a_thing(json!({"scalar": "b"}));
    assert_eq!(
        message(applied(Some(&live), &next, "other", Force::No)).1,
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using t.example/v1: .spec.scalar"
    );
    let object = applied(Some(&live), &next, "kubectl", Force::No).unwrap();
    assert_eq!(object["spec"], json!({"scalar": "b"}));
    assert_eq!(object["metadata"]["annotations"][ANNOTATION], format!("{next}\n"));
}

#[test]
fn invalid_configurations_are_refused_with_the_messages_of_kubernetes() {
    let refused = |spec: Value| {
        let (code, text) = message(applied(None, &a_thing(spec), "one", Force::No));
        let prefix = "failed to create typed patch object (default/it; t.example/v1, Kind=Thing): ";
        assert_eq!(code, 500);
        text.strip_prefix(prefix).unwrap().to_owned()
    };
    assert_eq!(
        refused(json!({"scalar": 1})),
        ".spec.scalar: expected string, got &value.valueUnstructured{Value:1}"
    );
    assert_eq!(refused(json!({"count": "x"})), ".spec.count: expected numeric (int or float), got string");
    assert_eq!(refused(json!({"flag": "x"})), ".spec.flag: expected boolean, got &{x}");
    assert_eq!(refused(json!({"obj": [1, "a"]})), ".spec.obj: expected map, got &{[1 a]}");
    assert_eq!(refused(json!({"set": "x"})), ".spec.set: expected list, got &{x}");
    assert_eq!(refused(json!({"set": ["a", "a"]})), ".spec.set: duplicate entries for key [=\"a\"]");
    assert_eq!(
        refused(json!({"set": [{"a": 1}]})),
        ".spec.set: element 0: associative list without keys has an element that's a map type"
    );
    assert_eq!(
        refused(json!({"items": [{"value": "x"}]})),
        ".spec.items: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have default values for any key fields)"
    );
    assert_eq!(
        refused(json!({"items": [{"name": "a", "nope": {}}]})),
        ".spec.items[name=\"a\"].nope: field not declared in schema"
    );
    assert_eq!(
        refused(json!({"scalar": 1, "count": "x"})),
        "errors:\n  .spec.count: expected numeric (int or float), got string\n  .spec.scalar: expected string, got &value.valueUnstructured{Value:1}"
    );
}

#[test]
fn a_configuration_names_no_owners_and_no_other_kind() {
    let mut config = a_thing(json!({}));
    config["metadata"]["managedFields"] = json!([]);
    assert_eq!(
        message(applied(None, &config, "one", Force::No)),
        (400, "metadata.managedFields must be nil".to_owned())
    );
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "it"}});
    assert_eq!(
        message(applied(None, &pod, "one", Force::No)),
        (400, "invalid object type: /v1, Kind=Pod".to_owned())
    );
}

#[test]
fn only_times_may_differ_between_versions_that_are_the_same() {
    let old = applied(None, &a_thing(json!({"scalar": "a"})), "one", Force::No).unwrap();
    let mut new = old.clone();
    new["metadata"]["managedFields"][0]["time"] = json!(LATER);
    assert!(same_but_for_times(&old, &new));
    new["metadata"]["managedFields"][0]["manager"] = json!("two");
    assert!(!same_but_for_times(&old, &new));
}
