//! Objects of other programs that get an item.

use super::{UID, owner};
use crate::{Action, Amendment, Desired, Gate, Known, Observed, Refusal, Resolver};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::core::DynamicObject;
use serde_json::json;
use std::collections::BTreeSet;

fn action(observed: Observed<'_>, gate: Gate<()>) -> Action<()> {
    let amendment = Amendment { list: "/imagePullSecrets".into(), item: json!({"name": "s"}) };
    let desired = Desired::amended(ServiceAccount::default(), amendment, "");
    let (owner, predecessors) = (owner(), BTreeSet::new());
    let resolver =
        Resolver { owner: &owner, uid: UID, predecessors: &predecessors, now: Timestamp::UNIX_EPOCH };
    resolver.resolve(&desired, observed, gate, Known::default())
}

#[test]
fn an_object_of_another_program_is_never_created_and_gets_an_item_once() {
    let stored = |items: serde_json::Value| {
        let object = json!({"metadata": {"name": "builder"}, "imagePullSecrets": items});
        serde_json::from_value::<DynamicObject>(object).unwrap()
    };
    let (without, with) = (stored(json!([{"name": "of-others"}])), stored(json!([{"name": "s"}])));
    assert_eq!(action(Observed::Absent, Gate::OPEN), Action::Refuse(Refusal::MustExist));
    assert_eq!(action(Observed::Named, Gate::OPEN), Action::Read);
    assert_eq!(action(Observed::Stored(&without), Gate::OPEN), Action::Amend);
    assert_eq!(action(Observed::Stored(&with), Gate::OPEN), Action::Nothing);
}

#[test]
fn an_item_waits_for_what_it_starts_after() {
    let gate = Gate { creation: Some(()), ..Gate::OPEN };
    let object = serde_json::from_value(json!({"metadata": {"name": "builder"}})).unwrap();
    assert_eq!(action(Observed::Stored(&object), gate), Action::Blocked { by: () });
}
