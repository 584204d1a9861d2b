use super::{Case, Core, a_core};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{Desired, Edge, ObjectKey, Policy};
use serde_json::{Value, json};

const NAME: &str = "harbor-core-database";

fn remembered(case: &Case<Core>) -> Value {
    case.children().into_iter().find(|child| child["metadata"]["name"] == NAME).unwrap()
}

/// The case at a later reconcile, with the record.
fn later(case: Case<Core>) -> Case<Core> {
    let secret = remembered(&case);
    let mut case = case;
    case.inputs.push(secret);
    case
}

/// An entry of the record.
fn entry(secret: &Value, key: &str) -> Option<String> {
    let data: ByteString = serde_json::from_value(secret["data"].get(key)?.clone()).unwrap();
    Some(String::from_utf8(data.0).unwrap())
}

fn with_uid(uid: &str) -> Case<Core> {
    a_core().set("/metadata/uid", json!(uid)).with("core-encryption-key", "secret", "0123456789abcdef")
}

/// The case of a Core whose record an operator of an early version has written.
fn with_an_unsalted_record(key: &str) -> Case<Core> {
    let mut secret = remembered(&with_uid("1-2-3"));
    let entries = secret["data"].as_object_mut().unwrap();
    entries.remove("encryption-key-fingerprint").unwrap();
    // printf 0123456789abcdef | sha256sum | cut -c-16
    entries.insert("encryption-key-sha256".into(), json!(ByteString(b"9f9f5111f7b27a78".to_vec())));
    let mut case = with_uid("1-2-3").with("core-encryption-key", "secret", key);
    case.inputs.push(secret);
    case
}

#[test]
fn the_key_is_remembered_by_a_salted_fingerprint() {
    let secret = remembered(&with_uid("1-2-3"));
    // printf 0123456789abcdef | openssl dgst -sha256 -hmac 1-2-3 | cut -d' ' -f2 | cut -c-16
    let expected = Some("1-2-3:9d597ad30ae273f7".to_owned());
    assert_eq!(entry(&secret, "encryption-key-fingerprint"), expected);
    assert_eq!(entry(&secret, "encryption-key-sha256"), None);
    let other = remembered(&with_uid("4-5-6"));
    let digest = |secret: &Value| {
        entry(secret, "encryption-key-fingerprint").unwrap().split_once(':').unwrap().1.to_owned()
    };
    assert_ne!(digest(&secret), digest(&other), "equal keys of two Cores");
}

#[test]
fn an_unsalted_fingerprint_of_the_same_key_is_replaced_by_a_salted_one() {
    let replaced = remembered(&with_an_unsalted_record("0123456789abcdef"));
    assert_eq!(replaced, remembered(&with_uid("1-2-3")));
}

#[test]
fn another_key_than_that_of_an_unsalted_fingerprint_is_refused() {
    let error = with_an_unsalted_record("fedcba9876543210").error();
    assert_eq!(
        error,
        "Secret registry/core-encryption-key, key `secret`: is not the key the database was encrypted with; \
         restore it, or, if the database is new, delete Secret registry/harbor-core-database"
    );
}

#[test]
fn a_core_created_again_with_the_same_key_keeps_the_fingerprint_and_its_salt() {
    let mut again = with_uid("4-5-6");
    let secret = remembered(&with_uid("1-2-3"));
    again.inputs.push(secret.clone());
    assert_eq!(remembered(&again)["data"], secret["data"]);
}

#[test]
fn a_record_without_a_fingerprint_is_reported() {
    let mut case = with_uid("1-2-3");
    let mut secret = remembered(&case);
    secret["data"].as_object_mut().unwrap().remove("encryption-key-fingerprint").unwrap();
    case.inputs.push(secret);
    assert_eq!(
        case.error(),
        "Secret registry/harbor-core-database, key `encryption-key-fingerprint`: does not exist; \
         add it to the Secret"
    );
}

/// The entries about the access to the database: whether there is a fingerprint, and how often it changed.
fn access(secret: &Value) -> (Option<String>, Option<String>) {
    (entry(secret, "database-access-fingerprint"), entry(secret, "database-access-changes"))
}

/// What the record says when all pods of Core are ready, and until then.
fn recorded(case: &Case<Core>) -> (Value, Option<Value>) {
    let plan = case.plan().unwrap();
    let (_, desired, _) = plan.graph.iter().find(|(_, it, _)| it.object.key().name == NAME).unwrap();
    let held = desired.held.as_ref().and_then(|held| held.object.as_ref());
    (desired.object.to_json().unwrap(), held.map(|held| held.to_json().unwrap()))
}

#[test]
fn what_render_prints_does_not_let_a_reader_guess_the_password_of_the_database() {
    assert_eq!(access(&recorded(&a_core()).0), (None, None));
}

#[test]
#[allow(clippy::useless_vec, reason = "an array of these is too large for the stack")]
fn a_change_of_the_access_to_the_database_is_counted_once_all_pods_of_core_have_it() {
    let created = |case: Case<Core>| case.set("/metadata/uid", json!("1-2-3"));
    let with = |field: &str, value: Value| later(created(a_core())).set(field, value);
    let full = || created(Case::golden("full"));
    for (first, changed) in vec![
        (created(a_core()), with("/spec/database/hosts", json!([{"host": "elsewhere"}]))),
        (created(a_core()), with("/spec/database/username", json!("another"))),
        (full(), later(full()).with("postgres", "postgres-password", "another")),
    ] {
        let (now, held) = recorded(&later(first));
        let (fingerprint, changes) = access(&now);
        assert!(fingerprint.is_some() && changes.is_none() && held.is_none(), "{now}");

        let (now, held) = recorded(&changed);
        assert_ne!(access(&now).0, fingerprint);
        assert_eq!(access(&now).1.as_deref(), Some("1"));
        assert_eq!(access(&held.unwrap()), (fingerprint, None));
        let mut settled = changed;
        settled.inputs.retain(|input| input["metadata"]["name"] != NAME);
        settled.inputs.push(now.clone());
        assert_eq!(recorded(&settled), (now, None), "it is counted once");
    }
}

/// The versions in the record.
fn versions(secret: &Value) -> [Option<String>; 2] {
    ["migrated-by", "completed"].map(|key| entry(secret, key))
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
fn a_core_created_again_over_an_old_database_is_protected_too() {
    let owned = |uid: &str| a_core().set("/metadata/uid", json!(uid));
    let secret = remembered(&owned("first"));
    assert!(secret["metadata"].get("ownerReferences").is_none(), "it would go with the Core");
    let mut again = owned("second").with("core-encryption-key", "secret", "fedcba9876543210");
    again.inputs.push(secret);
    assert!(again.error().contains("is not the key the database was encrypted with"), "{}", again.error());
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
fn an_invalid_key_is_reported_and_not_compared() {
    let error = later(a_core()).with("core-encryption-key", "secret", "0123456789abcdef\n").error();
    assert!(error.contains("holds 17 bytes") && !error.contains("was encrypted with"), "{error}");
}

#[test]
fn a_line_break_after_a_fingerprint_restored_by_hand_does_not_matter() {
    let case = later(with_uid("1-2-3"));
    assert!(case.with(NAME, "encryption-key-fingerprint", "1-2-3:9d597ad30ae273f7\n").plan().is_ok());
}

#[test]
fn a_change_of_the_password_of_redis_is_counted_once_all_pods_of_core_have_it() {
    let full = || Case::<Core>::golden("full").set("/metadata/uid", json!("1-2-3"));
    let redis =
        |secret: &Value| (entry(secret, "redis-access-fingerprint"), entry(secret, "redis-access-changes"));
    let (first, _) = recorded(&full());
    let (fingerprint, changes) = redis(&first);
    assert!(fingerprint.is_some() && changes.is_none(), "{first}");

    let another = later(full()).with("redis", "redis-password", "another");
    let (now, held) = recorded(&another);
    assert_ne!(redis(&now).0, fingerprint);
    assert_eq!(redis(&now).1.as_deref(), Some("1"));
    assert_eq!(access(&now), access(&first), "the database has not changed");
    assert_eq!(redis(&held.unwrap()), (fingerprint, None));
}
