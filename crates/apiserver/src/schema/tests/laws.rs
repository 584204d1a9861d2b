//! Properties for every object.

use crate::{
    failure::Cause,
    kinds::{Kinds, canonicalise},
    schema::{CustomSchema, apply_defaults, decode, drop_nulls, duplicates, prune, validate},
};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// Any JSON, with names of schemas among its keys.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9=:-]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let key = prop_oneof![
            Just("apiVersion"),
            Just("kind"),
            Just("metadata"),
            Just("spec"),
            Just("template"),
            Just("containers"),
            Just("name"),
            Just("labels"),
            Just("ports"),
            Just("items"),
            Just("id"),
            Just("size"),
            Just("tags"),
            Just("mode"),
            Just("when"),
            Just("replicas"),
            Just("embedded"),
            Just("free"),
            Just("either"),
            Just("x"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|fields| {
                Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

static THING: LazyLock<CustomSchema> = LazyLock::new(|| {
    let recording: Value = serde_json::from_str(include_str!("things.json")).unwrap();
    CustomSchema::parse(&recording["schema"]).unwrap()
});

proptest! {
    #[test]
    fn pruning_twice_is_pruning_once(spec in value()) {
        let mut once = json!({"spec": spec});
        prune(&THING, &mut once);
        let mut twice = once.clone();
        assert_eq!(prune(&THING, &mut twice), Vec::<String>::new());
        assert_eq!(once, twice);
    }

    #[test]
    fn defaulting_twice_is_defaulting_once(spec in value()) {
        let mut once = json!({"spec": spec});
        drop_nulls(&THING, &mut once);
        apply_defaults(&THING, &mut once);
        let mut twice = once.clone();
        drop_nulls(&THING, &mut twice);
        apply_defaults(&THING, &mut twice);
        assert_eq!(once, twice);
    }

    #[test]
    fn reading_and_encoding_built_in_kinds_survive_anything(object in value()) {
        for (group, plural) in [("apps", "deployments"), ("", "pods"), ("", "services")] {
            let kind = Kinds::builtin().find(group, "v1", plural).unwrap();
            let schema = Arc::clone(&kind.schema);
            let mut once = object.clone();
            if decode(&schema, &mut once).is_ok() && once.is_object() {
                let mut twice = once.clone();
                assert_eq!(decode(&schema, &mut twice).unwrap(), Vec::<String>::new());
                assert_eq!(once, twice);
                canonicalise(&kind, &mut once);
                let mut again = once.clone();
                canonicalise(&kind, &mut again);
                assert_eq!(once, again);
            }
        }
    }

    #[test]
    fn validation_survives_anything_and_tolerates_what_has_not_changed(old in value(), new in value()) {
        let (old, new) = (json!({"spec": old}), json!({"spec": new}));
        validate(&THING, &new, None);
        validate(&THING, &new, Some(&old));
        let kept = validate(&THING, &new, Some(&new));
        let is_tolerated = |cause: &Cause| cause.message.contains("rule: ") || cause.field.contains("embedded");
        assert!(kept.iter().all(|cause| is_tolerated(cause) || cause.field == "<nil>"), "{kept:#?}");
    }

    #[test]
    fn schemas_survive_anything(schema in value()) {
        let _parsed = CustomSchema::parse(&json!({"type": "object", "properties": {"spec": schema}}));
    }

    #[test]
    fn looking_for_duplicates_survives_anything(body in any::<Vec<u8>>(), object in value()) {
        duplicates(&body);
        assert_eq!(duplicates(object.to_string().as_bytes()), Vec::<String>::new());
    }
}
