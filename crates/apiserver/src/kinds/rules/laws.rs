//! Properties for objects of any shape.

use crate::kinds::{
    Addresses, Kinds, advances_generation, allocate, default, from_stored, prepare_create,
    prepare_ephemeral_containers, prepare_status, prepare_update, resources, to_stored, validate_create,
    validate_ephemeral_containers, validate_status, validate_update,
};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};
use std::sync::LazyLock;

static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::builtin);
static SAMPLES: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("stored.json")).expect("the cases"));

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,9}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, 1, {"name": 3}, [[]]])),
        Just(json!({"": {"name": [], "spec": "x"}})),
    ]
}

/// Replaces the value that is `steps` away from the root by `junk`.
fn spoil(value: &mut Value, steps: &[prop::sample::Index], junk: &Value) {
    let Some((step, rest)) = steps.split_first() else {
        *value = junk.clone();
        return;
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let chosen = step.index(fields.len());
            if let Some(field) = fields.values_mut().nth(chosen) {
                spoil(field, rest, junk);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let chosen = step.index(items.len());
            spoil(&mut items[chosen], rest, junk);
        }
        other => *other = junk.clone(),
    }
}

proptest! {
    #[test]
    fn no_object_makes_the_rules_panic(
        sample in any::<prop::sample::Index>(),
        steps in prop::collection::vec(any::<prop::sample::Index>(), 1..9),
        junk in junk(),
    ) {
        let case = &SAMPLES[sample.index(SAMPLES.len())];
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let resource = KINDS.find(word("group"), word("version"), word("plural")).expect("a built-in kind");
        let old = case["stored"].clone();
        let mut new = case["sent"].clone();
        spoil(&mut new, &steps, &junk);

        let mut created = new.clone();
        default(&resource, &mut created);
        prepare_create(&resource, &mut created, jiff::Timestamp::UNIX_EPOCH);
        let _ = allocate(&resource, &mut created, &mut Addresses::of([&old, &new]));
        validate_create(&resource, &created);

        let mut changed = new.clone();
        prepare_update(&resource, &old, &mut changed);
        validate_update(&resource, &old, &changed);
        advances_generation(&resource, &old, &changed);

        let mut debugged = new.clone();
        prepare_ephemeral_containers(&resource, &old, &mut debugged);
        validate_ephemeral_containers(&resource, &old, &debugged);

        let mut reported = new.clone();
        prepare_status(&resource, &old, &mut reported);
        validate_status(&resource, &old, &reported);

        resources(&new);
        from_stored(&resource, &to_stored(&resource, new));
    }

    #[test]
    fn defaulting_twice_changes_nothing(sample in any::<prop::sample::Index>()) {
        let case = &SAMPLES[sample.index(SAMPLES.len())];
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let resource = KINDS.find(word("group"), word("version"), word("plural")).expect("a built-in kind");
        let mut once = case["sent"].clone();
        default(&resource, &mut once);
        let mut twice = once.clone();
        default(&resource, &mut twice);
        assert_eq!(once, twice);
    }
}
