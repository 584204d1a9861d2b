use super::{Case, Core, a_core};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{Desired, Edge, ObjectKey, Policy};
use serde_json::{Value, json};

const NAME: &str = "harbor-core-database";

fn remembered(case: &Case<Core>) -> Value {
    case.children().into_iter().find(|child| child["metadata"]["name"] == NAME).unwrap()
}

/// The case some time later: what was remembered is there.
fn later(case: Case<Core>) -> Case<Core> {
    let secret = remembered(&case);
    let mut case = case;
    case.inputs.push(secret);
    case
}

#[test]
fn the_key_is_remembered_by_the_first_digits_of_its_sha256() {
    let case = a_core().with("core-encryption-key", "secret", "0123456789abcdef");
    let data: ByteString =
        serde_json::from_value(remembered(&case)["data"]["encryption-key-sha256"].clone()).unwrap();
    // printf 0123456789abcdef | sha256sum | cut -c-16
    assert_eq!(String::from_utf8(data.0).unwrap(), "9f9f5111f7b27a78");
}

/// What the Secret says of versions.
fn versions(secret: &Value) -> [Option<String>; 2] {
    ["migrated-by", "completed"].map(|key| {
        let data: ByteString = serde_json::from_value(secret["data"].get(key)?.clone()).unwrap();
        Some(String::from_utf8(data.0).unwrap())
    })
}

#[test]
fn the_version_is_written_down_once_a_core_has_it_and_completed_once_all_have() {
    let plan = later(a_core()).annotated("harbor.goharbor.io/version", "2.15.1").plan().unwrap();
    let (id, desired) = plan
        .graph
        .iter()
        .find_map(|(id, desired, _)| (desired.object.key().name == NAME).then_some((id, desired)))
        .unwrap();
    let edges: Vec<_> = plan
        .graph
        .edges(id)
        .flat_map(|(to, edges)| edges.iter().map(move |edge| (to, edge)))
        .map(|(to, edge)| (plan.graph[to].object.key().kind.clone(), edge))
        .collect();
    assert_eq!(edges, [("Deployment".into(), Edge::UpgradesAfter), ("Deployment".into(), Edge::Confirms)]);
    let versions_of = |desired: &Desired| {
        let held = desired.held.as_ref().unwrap().object.as_ref().unwrap();
        [desired.object.to_json().unwrap(), held.to_json().unwrap()].map(|secret| versions(&secret))
    };
    let new = Some("2.15.1".to_owned());
    assert_eq!(versions_of(desired), [[new.clone(), new.clone()], [new, Some("2.15.0".into())]]);
    assert_eq!(desired.policy, Policy::Apply);
}

#[test]
fn a_core_that_has_its_version_has_nothing_to_be_held_back() {
    let plan = later(a_core()).plan().unwrap();
    let key = ObjectKey::of::<Secret>("registry", NAME);
    let (_, desired, _) = plan.graph.iter().find(|(_, desired, _)| desired.object.key() == key).unwrap();
    assert!(desired.held.is_none());
    assert!(plan.reads.contains(&key), "so that its deletion is noticed");
}

#[test]
fn a_core_made_anew_over_an_old_database_is_protected_too() {
    let owned = |uid: &str| a_core().set("/metadata/uid", json!(uid));
    let secret = remembered(&owned("first"));
    assert!(secret["metadata"].get("ownerReferences").is_none(), "it would go with the Core");
    let mut anew = owned("second").with("core-encryption-key", "secret", "fedcba9876543210");
    anew.inputs.push(secret);
    assert!(anew.error().contains("is not the key the database was encrypted with"), "{}", anew.error());
    let with_data = remembered(&owned("first").set("/spec/deletionPolicy", json!("Delete")));
    assert_eq!(with_data["metadata"]["ownerReferences"][0]["uid"], "first");
}

#[test]
fn trap_3_a_wrong_key_of_the_right_length_is_refused() {
    let replaced = later(a_core()).with("core-encryption-key", "secret", "fedcba9876543210");
    assert_eq!(
        replaced.error(),
        "Secret registry/core-encryption-key, key `secret`: is not the key the database was encrypted with; \
         restore it, or, if the database is new, delete Secret registry/harbor-core-database"
    );
}

#[test]
fn the_right_key_is_accepted_under_any_name() {
    let same = later(a_core());
    assert_eq!(same.children(), a_core().children());
    let mut moved = same;
    let mut copy =
        moved.inputs.iter().find(|it| it["metadata"]["name"] == "core-encryption-key").unwrap().clone();
    copy["metadata"]["name"] = json!("moved-key");
    moved.inputs.push(copy);
    assert!(moved.set("/spec/database/encryptionKeyRef", json!("moved-key")).plan().is_ok());
}

#[test]
fn once_forgotten_the_key_in_use_is_remembered() {
    let replaced = later(a_core()).with("core-encryption-key", "secret", "fedcba9876543210").without(NAME);
    assert_ne!(remembered(&replaced), remembered(&a_core()));
}

#[test]
fn a_key_that_is_unsound_is_told_so_and_not_compared() {
    let error = later(a_core()).with("core-encryption-key", "secret", "0123456789abcdef\n").error();
    assert!(error.contains("holds 17 bytes") && !error.contains("was encrypted with"), "{error}");
}

#[test]
fn a_line_break_after_a_fingerprint_restored_by_hand_does_not_matter() {
    let case = later(a_core().with("core-encryption-key", "secret", "0123456789abcdef"));
    assert!(case.with(NAME, "encryption-key-sha256", "9f9f5111f7b27a78\n").plan().is_ok());
}
