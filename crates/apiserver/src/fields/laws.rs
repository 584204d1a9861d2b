//! Laws of ownership, for any configuration.

use super::{
    Force,
    fixture::{a_thing, applied, thing, updated},
    merge::merge,
    owned::owned,
    same_but_for_times,
    set::FieldSet,
    typed::Typed,
};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Map, Value};

fn word() -> impl Strategy<Value = Value> + Clone {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(Value::from)
}

fn number() -> impl Strategy<Value = Value> + Clone {
    (0..3).prop_map(Value::from)
}

fn words() -> impl Strategy<Value = Value> + Clone {
    prop::sample::subsequence(vec!["a", "b", "c", "d"], 0..=4).prop_shuffle().prop_map(Value::from)
}

/// An object with some of these fields.
fn some<const N: usize>(
    fields: [(&'static str, proptest::strategy::BoxedStrategy<Value>); N],
) -> proptest::strategy::BoxedStrategy<Value> {
    fields
        .into_iter()
        .map(|(name, values)| {
            prop::option::of(values).prop_map(move |value| value.map(|value| (name.to_owned(), value)))
        })
        .collect::<Vec<_>>()
        .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect()))
        .boxed()
}

fn items() -> impl Strategy<Value = Value> {
    let item = some([
        ("value", word().boxed()),
        ("sub", some([("a", word().boxed()), ("b", word().boxed())])),
        ("tags", words().boxed()),
    ]);
    prop::collection::btree_map(prop::sample::select(vec!["n1", "n2", "n3"]), item, 0..=3)
        .prop_map(|items| {
            items
                .into_iter()
                .map(|(name, mut item)| {
                    item["name"] = name.into();
                    item
                })
                .collect::<Vec<Value>>()
        })
        .prop_shuffle()
        .prop_map(Value::Array)
}

/// Any valid spec of a `Thing`.
fn spec() -> impl Strategy<Value = Value> {
    some([
        ("scalar", word().boxed()),
        ("count", number().boxed()),
        ("obj", some([("x", word().boxed()), ("yy", some([("z", number().boxed())]))])),
        ("atomicObj", some([("p", word().boxed()), ("q", word().boxed())])),
        ("tags", some([("k1", word().boxed()), ("k2", word().boxed())])),
        ("deep", some([("k1", some([("v", number().boxed())])), ("k2", some([("w", word().boxed())]))])),
        ("set", words().boxed()),
        ("atomicList", words().boxed()),
        ("items", items().boxed()),
        ("any", some([("l", words().boxed()), ("o", some([("s", word().boxed())]))])),
    ])
}

/// Anything at all, with names that the schema knows.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), number(), word()];
    let name = prop::sample::select(vec![
        "spec",
        "obj",
        "atomicObj",
        "tags",
        "deep",
        "set",
        "items",
        "ports",
        "any",
        "name",
        "port",
        "metadata",
        "managedFields",
        "f:spec",
        "k:{\"name\":1}",
        "v:2",
        ".",
        "x",
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A value without differences that do not matter: order, and whether empty values are present.
fn essence(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), essence(value)))
                .filter(|(_, value)| !matches!(value, Value::Null) && *value != Value::Object(Map::new()))
                .filter(|(_, value)| *value != Value::Array(Vec::new()))
                .collect(),
        ),
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(essence).collect();
            items.sort_by_key(ToString::to_string);
            Value::Array(items)
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #[test]
    fn applying_twice_is_applying_once(first in spec(), second in spec()) {
        let live = applied(None, &a_thing(first), "one", Force::No).unwrap();
        let once = applied(Some(&live), &a_thing(second.clone()), "two", Force::Yes).unwrap();
        let twice = applied(Some(&once), &a_thing(second), "two", Force::No).unwrap();
        prop_assert!(same_but_for_times(&once, &twice));
    }

    #[test]
    fn applying_less_first_makes_no_difference(mut first in spec(), second in spec()) {
        // A manager without fields leaves an object without owners, whose next owner then is not the only
        // one.
        first["scalar"] = "a".into();
        let schema = thing();
        let all = merge(Typed::new(&schema), &a_thing(first.clone()), &a_thing(second)).unwrap();
        let live = applied(None, &a_thing(first), "one", Force::No).unwrap();
        let step_by_step = applied(Some(&live), &all, "one", Force::No).unwrap();
        prop_assert!(same_but_for_times(&step_by_step, &applied(None, &all, "one", Force::No).unwrap()));
    }

    #[test]
    fn force_sets_every_field_and_leaves_no_conflict(first in spec(), second in spec(), third in spec()) {
        let live = applied(None, &a_thing(first), "one", Force::No).unwrap();
        let mut new = live.clone();
        new["spec"] = second;
        let live = updated(Some(&live), new, "two");
        let config = a_thing(third);
        let object = applied(Some(&live), &config, "three", Force::Yes).unwrap();
        let schema = thing();
        prop_assert_eq!(&merge(Typed::new(&schema), &object, &config).unwrap(), &object);
        prop_assert!(applied(Some(&object), &config, "three", Force::No).is_ok());
    }

    #[test]
    fn an_empty_apply_leaves_the_fields_of_other_managers(first in spec(), second in spec()) {
        let schema = thing();
        let agreeing = merge(Typed::new(&schema), &a_thing(second), &a_thing(first.clone())).unwrap();
        let live = applied(None, &a_thing(first), "one", Force::No).unwrap();
        let both = applied(Some(&live), &agreeing, "two", Force::No).unwrap();
        let nothing = a_thing(Value::Object(Map::new()));
        let object = applied(Some(&both), &nothing, "two", Force::No).unwrap();
        prop_assert_eq!(essence(&object)["spec"].clone(), essence(&live)["spec"].clone());
    }

    #[test]
    fn fields_v1_reads_back_as_it_is_written(config in spec()) {
        let schema = thing();
        let set = owned(Typed::new(&schema), &a_thing(config));
        prop_assert_eq!(FieldSet::from_json(&set.to_json()), Ok(set));
    }

    #[test]
    fn an_update_owns_what_it_writes_and_an_empty_update_nothing(first in spec(), second in spec()) {
        let live = updated(None, a_thing(first), "one");
        let mut new = live.clone();
        new["spec"] = second;
        let object = updated(Some(&live), new, "two");
        prop_assert_eq!(updated(Some(&object), object.clone(), "three"), object);
    }

    #[test]
    fn no_input_makes_the_server_panic(live in anything(), config in anything(), name in ".*") {
        let config_of_kind = a_thing(config.clone());
        let _ = applied(Some(&live), &config, &name, Force::Yes);
        let _ = applied(Some(&a_thing(live.clone())), &config_of_kind, &name, Force::Yes);
        let _ = updated(Some(&a_thing(live.clone())), config_of_kind, &name);
        let _ = updated(Some(&live), config.clone(), &name);
        let _ = updated(None, config, &name);
        let _ = FieldSet::from_json(&live);
    }
}
