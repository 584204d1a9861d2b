//! The laws of the resolver.

mod amend;
mod external;
mod rehash;
mod sweep;

use super::*;
use crate::{Health, Issuance, ObservedObject, OwnedFields, Provenance, Role, desired_digest};
use api::names::{CONTROLLER_LABEL, KEPT_ANNOTATION};
use k8s_openapi::{
    api::core::v1::Secret,
    apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference},
};
use kube::core::ObjectMeta;
use proptest::prelude::*;
use serde_json::{Value, json};

const MANAGER: &str = "harbor-operator/harbor";
const UID: &str = "uid-of-acme";

fn owner() -> ObjectKey {
    ObjectKey::new("goharbor.io", "Harbor", "ns", "acme")
}

/// The child that the tests resolve.
fn secret(deletion: DeletionBehavior) -> Secret {
    let mut metadata = ObjectMeta {
        name: Some("s".into()),
        namespace: Some("ns".into()),
        labels: Some(
            [(CONTROLLER_LABEL, "harbor"), ("app.kubernetes.io/instance", "acme")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        ),
        ..ObjectMeta::default()
    };
    match deletion {
        DeletionBehavior::Owned => metadata.owner_references = Some(vec![reference("acme", UID)]),
        DeletionBehavior::Kept => {
            metadata.annotations =
                Some([(KEPT_ANNOTATION.to_owned(), "Harbor.goharbor.io/acme".to_owned())].into());
        }
    }
    Secret { metadata, ..Secret::default() }
}

fn reference(name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: "goharbor.io/v1beta1".into(),
        kind: "Harbor".into(),
        name: name.into(),
        uid: uid.into(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}

fn issuance() -> Issuance {
    Issuance {
        subject: "s".into(),
        dns_names: Vec::new(),
        ip_addresses: Vec::new(),
        role: Role::Leaf { authority: None, also_trusted: None },
        days: 1,
    }
}

/// The number of a policy, see [`desired`].
fn policies() -> std::ops::Range<usize> {
    0..4
}

fn desired(policy: usize, deletion: DeletionBehavior) -> Desired {
    let desired = match policy {
        0 => Desired::from(secret(deletion)),
        1 => Desired::once(secret(deletion)),
        2 => Desired::issued(secret(deletion), issuance()),
        _ => Desired::awaited(secret(deletion), "another program creates it"),
    };
    desired.on_deletion(deletion)
}

fn digest(desired: &Desired) -> Option<Digest> {
    desired_digest(&desired.object.to_json().unwrap(), MANAGER)
}

/// An existing object with the child's name.
#[allow(clippy::struct_excessive_bools, reason = "independent properties, each drawn by itself")]
#[derive(Clone, Debug)]
struct Found {
    owner: usize,
    labelled: bool,
    immutable: bool,
    adoptable: bool,
    by_predecessor: bool,
    applied: usize,
}

fn found() -> impl Strategy<Value = Found> {
    (0..5_usize, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0..3_usize).prop_map(
        |(owner, labelled, immutable, adoptable, by_predecessor, applied)| Found {
            owner,
            labelled,
            immutable,
            adoptable,
            by_predecessor,
            applied,
        },
    )
}

impl Found {
    fn stored(&self) -> DynamicObject {
        let owners = match self.owner {
            1 => vec![reference("acme", UID)],
            2 => vec![reference("acme", "uid-of-an-earlier-acme")],
            3 => vec![reference("other", "uid-of-other")],
            _ => Vec::new(),
        };
        let mut annotations = std::collections::BTreeMap::new();
        if self.owner == 4 {
            annotations.insert(KEPT_ANNOTATION.to_owned(), "Harbor.goharbor.io/acme".to_owned());
        }
        if self.immutable {
            annotations.insert(IMMUTABLE_ANNOTATION.to_owned(), "true".to_owned());
        }
        if self.adoptable {
            annotations.insert(api::names::ADOPT_ANNOTATION.to_owned(), "true".to_owned());
        }
        let labels = if self.labelled { secret(DeletionBehavior::Kept).metadata.labels } else { None };
        let entry = |manager: &str, operation: &str, fields: Value| {
            serde_json::from_value::<ManagedFieldsEntry>(
                json!({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields}),
            )
        };
        let mut managed = Vec::new();
        if self.by_predecessor {
            managed.push(entry("old", "Update", json!({"f:data": {}})).unwrap());
        }
        if self.applied > 0 {
            managed.push(entry(MANAGER, "Apply", json!({"f:metadata": {"f:labels": {}}})).unwrap());
        }
        DynamicObject {
            types: Some(kube::core::TypeMeta { api_version: "v1".into(), kind: "Secret".into() }),
            metadata: ObjectMeta {
                name: Some("s".into()),
                namespace: Some("ns".into()),
                uid: Some("uid-of-s".into()),
                owner_references: Some(owners),
                annotations: Some(annotations),
                labels,
                managed_fields: Some(managed),
                ..ObjectMeta::default()
            },
            data: json!({}),
        }
    }

    fn watched(&self, digest: Option<Digest>) -> Observation {
        let stored = self.stored();
        let resource = kube::core::ApiResource::erase::<Secret>(&());
        let predecessors = ["old".to_owned()].into();
        let observed = ObservedObject::of(&resource, &stored.metadata, Health::READY, &predecessors).unwrap();
        let applied = match self.applied {
            0 => None,
            1 => digest,
            _ => Some(Digest::of("something else").unwrap()),
        };
        Observation { applied, ..observed.observation }
    }
}

/// The state that the operator remembers.
fn remembered(which: usize, digest: Option<Digest>, seen: &Observation) -> Option<Applied> {
    let sent =
        |digest, owned_fields| Applied::Sent { digest, pods: None, uid: seen.uid.clone(), owned_fields };
    match which {
        0 => None,
        1 => Some(sent(digest?, seen.owned_fields)),
        2 => Some(sent(digest?, OwnedFields::of(&secret(DeletionBehavior::Owned).metadata))),
        3 => Some(sent(Digest::of("an earlier spec").ok()?, seen.owned_fields)),
        4 => Some(issued(digest?, seen)),
        _ => Some(Applied::Exists),
    }
}

fn issued(asked: Digest, seen: &Observation) -> Applied {
    let (uid, owned_fields) = (seen.uid.clone(), seen.owned_fields);
    Applied::Issued(Certificate { asked, uid, owned_fields, due: Timestamp::MAX, expires: None })
}

/// The object after an action was performed, and the state that the operator then remembers.
fn performed(action: &Action<()>, desired: &Desired, seen: &Observation) -> (Observation, Applied) {
    let digest = digest(desired);
    let owner = match desired.deletion {
        DeletionBehavior::Owned => Ownership::Owned(owner(), UID.into()),
        DeletionBehavior::Kept => Ownership::Kept(owner()),
    };
    let owner = Some(owner);
    let now = Observation { applied: digest, owner, unadopted: false, ..seen.clone() };
    let (uid, owned_fields) = (now.uid.clone(), now.owned_fields);
    let applied = match (action, &desired.policy) {
        (Action::Apply(_) | Action::Issue(_), Policy::Issue(_)) => issued(digest.unwrap(), &now),
        (Action::Apply(_), _) => Applied::Sent { digest: digest.unwrap(), pods: None, uid, owned_fields },
        _ => Applied::Exists,
    };
    let immutable = now.immutable || matches!(action, Action::Create);
    (Observation { immutable, ..now }, applied)
}

#[derive(Clone, Copy, Debug)]
enum Knowledge {
    Absent,
    Named,
    Watched,
    Stored,
}

fn knowledge() -> impl Strategy<Value = Knowledge> {
    prop_oneof![
        Just(Knowledge::Absent),
        Just(Knowledge::Named),
        Just(Knowledge::Watched),
        Just(Knowledge::Stored)
    ]
}

fn behavior() -> impl Strategy<Value = DeletionBehavior> {
    prop_oneof![Just(DeletionBehavior::Owned), Just(DeletionBehavior::Kept)]
}

fn gates() -> impl Strategy<Value = Gate<()>> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(creation, upgrade, change)| Gate {
        creation: creation.then_some(()),
        upgrade: upgrade.then_some(()),
        change: change.then_some(()),
    })
}

fn resolve(
    desired: &Desired,
    observed: Observed<'_>,
    gate: Gate<()>,
    applied: Option<&Applied>,
) -> Action<()> {
    resolver(|it| {
        it.resolve(desired, observed, gate, Known { applied, digest: digest(desired), ..Known::default() })
    })
}

proptest! {
    #[test]
    fn an_action_that_was_performed_resolves_to_nothing(
        policy in policies(), deletion in behavior(), found in found(), known in knowledge(), memory in 0..6_usize,
    ) {
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let applied = remembered(memory, digest(&desired), &seen);
        let observed = observed(known, &seen, &stored);
        let action = resolve(&desired, observed, Gate::OPEN, applied.as_ref());
        if matches!(action, Action::Apply(_) | Action::Create | Action::Issue(_) | Action::SetOwner) {
            let (now, applied) = performed(&action, &desired, &seen);
            let again = resolve(&desired, Observed::Watched(&now), Gate::OPEN, Some(&applied));
            prop_assert_eq!(again, Action::Nothing, "after {:?}", action);
        }
    }

    #[test]
    fn the_content_of_an_immutable_object_is_never_changed(
        policy in policies(), deletion in behavior(), found in found(), gate in gates(), memory in 0..6_usize,
    ) {
        let found = Found { immutable: true, ..found };
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let applied = remembered(memory, digest(&desired), &seen);
        for observed in [Observed::Watched(&seen), Observed::Stored(&stored)] {
            let action = resolve(&desired, observed, gate, applied.as_ref());
            let changes =
                matches!(action, Action::Apply(_) | Action::Create | Action::Issue(_) | Action::Rehash);
            prop_assert!(!changes, "{:?} of {:?}", action, observed);
        }
    }

    #[test]
    fn an_existing_object_is_neither_created_nor_blocked_and_the_creation_of_an_absent_object_waits_for_the_gate(
        policy in policies(), deletion in behavior(), found in found(), known in knowledge(), gate in gates(),
    ) {
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let action = resolve(&desired, observed(known, &seen, &stored), gate, None);
        match known {
            _ if matches!(desired.policy, Policy::Await { .. }) => prop_assert_eq!(action, Action::Await),
            Knowledge::Absent if gate.keeps_away().is_some() => {
                prop_assert_eq!(action, Action::Blocked { by: () });
            }
            Knowledge::Absent => {
                let creates = matches!(
                    action,
                    Action::Create | Action::Apply(Apply::New) | Action::Issue(Apply::New)
                );
                prop_assert!(creates, "{:?}", action);
            }
            Knowledge::Named | Knowledge::Watched | Knowledge::Stored => {
                let creates = matches!(
                    action,
                    Action::Create
                        | Action::Apply(Apply::New)
                        | Action::Issue(Apply::New)
                        | Action::Blocked { .. }
                );
                prop_assert!(!creates, "{:?}", action);
                prop_assert_eq!(action == Action::Hold, gate.change.is_some());
            }
        }
    }

    #[test]
    fn an_object_of_another_program_is_changed_only_if_a_user_requests_it(
        policy in 0..2_usize, deletion in behavior(), adoptable in any::<bool>(), immutable in any::<bool>(),
    ) {
        let found =
            Found { owner: 0, labelled: false, immutable, adoptable, by_predecessor: false, applied: 0 };
        let action = resolve(&desired(policy, deletion), Observed::Stored(&found.stored()), Gate::OPEN, None);
        let expected = match (policy, adoptable, immutable) {
            (0, false, _) => Action::Refuse(Refusal::NotCreatedByOperator),
            (0, true, false) => Action::Apply(Apply::Child),
            _ => Action::Nothing,
        };
        prop_assert_eq!(action, expected);
    }

    #[test]
    fn an_existing_object_is_always_repaired_while_its_upgrade_is_held_and_its_version_stays(
        deletion in behavior(), found in found(), known in knowledge(), gate in gates(), memory in 0..6_usize,
    ) {
        let gate = Gate { upgrade: Some(()), ..gate };
        let (before, upgraded) = (desired(0, deletion), desired(0, deletion).held_as(secret(deletion), "waits"));
        let upgraded = Desired { object: Box::new(upgraded_secret(deletion)), ..upgraded };
        prop_assert_ne!(digest(&before), digest(&upgraded));
        prop_assert_eq!(wanted(&upgraded, gate).to_json().unwrap(), before.object.to_json().unwrap());

        let (seen, stored) = (found.watched(digest(&before)), found.stored());
        let applied = remembered(memory, digest(&before), &seen);
        let observed = observed(known, &seen, &stored);
        let known = Known { applied: applied.as_ref(), digest: digest(&before), ..Known::default() };
        prop_assert_eq!(
            resolver(|it| it.resolve(&upgraded, observed, gate, known)),
            resolver(|it| it.resolve(&before, observed, Gate { upgrade: None, ..gate }, known))
        );

        let unchanged = desired(0, deletion).held("waits");
        let is_held = resolver(|it| it.resolve(&unchanged, observed, gate, known)) == Action::Hold;
        prop_assert_eq!(is_held, !matches!(observed, Observed::Absent));
    }
}

/// A new version of the child.
fn upgraded_secret(deletion: DeletionBehavior) -> Secret {
    Secret { type_: Some("example.com/v2".into()), ..secret(deletion) }
}

fn resolver<T>(with: impl FnOnce(&Resolver<'_>) -> T) -> T {
    let (owner, predecessors) = (owner(), ["old".to_owned()].into());
    with(&Resolver { owner: &owner, uid: UID, predecessors: &predecessors, now: Timestamp::UNIX_EPOCH })
}

fn observed<'a>(known: Knowledge, seen: &'a Observation, stored: &'a DynamicObject) -> Observed<'a> {
    match known {
        Knowledge::Absent => Observed::Absent,
        Knowledge::Named => Observed::Named,
        Knowledge::Watched => Observed::Watched(seen),
        Knowledge::Stored => Observed::Stored(stored),
    }
}

#[test]
fn a_child_is_read_only_when_its_applied_digest_is_unknown() {
    let desired = desired(0, DeletionBehavior::Owned);
    let child = |applied| Found {
        owner: 1,
        labelled: true,
        immutable: false,
        adoptable: false,
        by_predecessor: false,
        applied,
    };
    let action = |applied| {
        let seen = child(applied).watched(digest(&desired));
        resolve(&desired, Observed::Watched(&seen), Gate::OPEN, None)
    };
    assert_eq!(action(0), Action::Read);
    assert_eq!(action(1), Action::Nothing);
    assert_eq!(action(2), Action::Apply(Apply::Child));
}
