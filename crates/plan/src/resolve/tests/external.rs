//! The laws of objects outside the cluster.

use super::*;
use crate::{External, IfExists, ObjectKey, Sharing, System, Violation};
use std::sync::Arc;

fn system() -> System {
    System::new("depot", "ns", "acme")
}

fn values() -> impl Strategy<Value = Value> {
    (any::<bool>(), 0..3_u8, prop::option::of("[a-z]{1,3}"))
        .prop_map(|(public, size, label)| json!({"public": public, "size": size, "label": label}))
}

fn externals() -> impl Strategy<Value = External> {
    (values(), prop::option::of("[a-z]{1,3}"), any::<bool>()).prop_map(|(value, password, adopts)| {
        let mut external = External::new(&system(), "box", "a", value);
        external.write_only.extend(password.map(|password| ("password".to_owned(), password.into())));
        if adopts {
            external.if_exists = IfExists::Adopt;
        }
        external
    })
}

fn digest(external: &External) -> Option<Digest> {
    (!external.write_only.is_empty()).then(|| Digest::of(&external.write_only).unwrap())
}

fn claims() -> impl Strategy<Value = Option<Applied>> {
    let written = prop::option::of("[a-z]{1,3}").prop_map(|it| it.map(|it| Digest::of(&it).unwrap()));
    prop::option::of(written.prop_map(|written| Applied::External { written }))
}

fn resolve(
    external: &External,
    actual: Option<&Arc<DynamicObject>>,
    gate: Gate<()>,
    applied: Option<&Applied>,
) -> Action<()> {
    let observed = actual.map_or(Observed::Absent, |actual| Observed::Stored(actual));
    let known = Known { applied, digest: digest(external), ..Known::default() };
    resolver(|it| it.resolve(&Desired::external(external.clone()), observed, gate, known))
}

proptest! {
    #[test]
    fn an_external_action_that_was_performed_resolves_to_nothing(
        external in externals(), actual in prop::option::of(values()), claim in claims(),
    ) {
        let actual = actual.map(|actual| crate::outside(actual).unwrap());
        let action = resolve(&external, actual.as_ref(), Gate::OPEN, claim.as_ref());
        if matches!(action, Action::Create | Action::Update { .. }) {
            let now = crate::outside(external.value.clone()).unwrap();
            let claim = Applied::External { written: digest(&external) };
            let again = resolve(&external, Some(&now), Gate::OPEN, Some(&claim));
            prop_assert_eq!(again, Action::Nothing, "after {:?}", action);
        }
    }

    #[test]
    fn an_object_of_another_program_is_refused_unless_adoption_is_asked_for(
        external in externals(), actual in values(), claim in claims(),
    ) {
        let actual = crate::outside(actual).unwrap();
        let action = resolve(&external, Some(&actual), Gate::OPEN, claim.as_ref());
        let is_refused = action == Action::Refuse(Refusal::NotCreatedByOperator);
        prop_assert_eq!(is_refused, claim.is_none() && external.if_exists != IfExists::Adopt);
    }

    #[test]
    fn an_external_object_waits_for_its_turn_like_any_other(
        external in externals(), actual in prop::option::of(values()), gate in gates(),
    ) {
        let actual = actual.map(|actual| crate::outside(actual).unwrap());
        let action = resolve(&external, actual.as_ref(), gate, Some(&Applied::External { written: None }));
        match &actual {
            None if gate.keeps_away().is_some() => prop_assert_eq!(action, Action::Blocked { by: () }),
            None => prop_assert_eq!(action, Action::Create),
            Some(_) if gate.change.is_some() => prop_assert_eq!(action, Action::Hold),
            Some(_) => {
                let writes = matches!(action, Action::Nothing | Action::Update { .. });
                prop_assert!(writes, "{:?}", action);
            }
        }
    }

    #[test]
    fn an_update_names_the_fields_that_differ(external in externals(), actual in values()) {
        let claim = Applied::External { written: digest(&external) };
        let stored = crate::outside(actual.clone()).unwrap();
        let action = resolve(&external, Some(&stored), Gate::OPEN, Some(&claim));
        let expected = ["label", "public", "size"].into_iter();
        let expected: Vec<_> =
            expected.filter(|field| external.value[*field] != actual[*field]).map(str::to_owned).collect();
        let is_named = match action {
            Action::Nothing => expected.is_empty(),
            Action::Update { fields } => fields == expected,
            _ => false,
        };
        prop_assert!(is_named);
    }
}

/// The action where other owners have something of the object.
fn among(external: &External, observed: Observed<'_>, others: OtherOwners<'_>) -> Action<()> {
    let applied = Applied::External { written: None };
    let known = Known { applied: Some(&applied), digest: None, others };
    resolver(|it| it.resolve(&Desired::external(external.clone()), observed, Gate::OPEN, known))
}

fn older() -> ObjectKey {
    ObjectKey::new("goharbor.io", "HarborProject", "ns", "older")
}

fn a_box() -> External {
    External::new(&system(), "box", "a", json!({"label": "tea", "size": 1}))
}

#[test]
fn what_cannot_be_and_what_belongs_to_another_owner_is_refused_without_a_read() {
    let fault =
        Violation { subject: "spec.a".into(), problem: "is wrong".into(), remedy: "correct it".into() };
    let faulty = External { fault: Some(fault.clone()), ..a_box() };
    let no_others = OtherOwners::default();
    assert_eq!(among(&faulty, Observed::Named, no_others), Action::Refuse(Refusal::Invalid(fault)));
    let holder = older();
    let whole = OtherOwners { whole: Some(&holder), ..no_others };
    assert_eq!(among(&a_box(), Observed::Named, whole), Action::Refuse(Refusal::ClaimedAsPart(older())));
    assert_eq!(among(&a_box(), Observed::Named, no_others), Action::Read);
}

#[test]
fn an_older_owner_has_an_object_whether_it_differs_or_not() {
    let seniors: [(ObjectKey, BTreeSet<String>); 1] = [(older(), BTreeSet::new())];
    let others = OtherOwners { seniors: &seniors, ..OtherOwners::default() };
    let refused = Action::Refuse(Refusal::Claimed { owner: older(), fields: Vec::new() });
    for actual in [json!({"label": "tea", "size": 1}), json!({"label": "salt", "size": 1})] {
        let stored = crate::outside(actual).unwrap();
        assert_eq!(among(&a_box(), Observed::Stored(&stored), others), refused);
    }
    assert_eq!(among(&a_box(), Observed::Absent, others), refused);
}

#[test]
fn owners_that_share_an_object_by_fields_meet_only_where_it_differs() {
    let shared = External { sharing: Sharing::Fields, ..a_box() };
    let seniors: [(ObjectKey, BTreeSet<String>); 1] = [(older(), ["size".to_owned()].into())];
    let others = OtherOwners { seniors: &seniors, ..OtherOwners::default() };
    let with = |actual: Value| {
        let stored = crate::outside(actual).unwrap();
        among(&shared, Observed::Stored(&stored), others)
    };
    assert_eq!(with(json!({"label": "tea", "size": 1})), Action::Nothing);
    assert_eq!(with(json!({"label": "salt", "size": 1})), Action::Update { fields: vec!["label".into()] });
    let refused = Refusal::Claimed { owner: older(), fields: vec!["size".into()] };
    assert_eq!(with(json!({"label": "tea", "size": 2})), Action::Refuse(refused));
}
