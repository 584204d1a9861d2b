//! The laws of the resolver.

mod external;

use super::*;
use crate::{Health, Issuance, ObservedObject, OwnedFields, Provenance, Role, desired_digest};
use api::names::CONTROLLER_LABEL;
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
        role: Role::Leaf { authority: None },
        days: 1,
    }
}

fn desired(policy: usize, deletion: DeletionBehavior) -> Desired {
    let desired = match policy {
        0 => Desired::from(secret(deletion)),
        1 => Desired::once(secret(deletion)),
        _ => Desired::issued(secret(deletion), issuance()),
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
        _ => Some(Applied::Exists),
    }
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
    let applied = match action {
        Action::Apply(_) => Applied::Sent { digest: digest.unwrap(), pods: None, uid, owned_fields },
        Action::Issue => Applied::Issued(Certificate {
            asked: digest.unwrap(),
            uid,
            owned_fields,
            due: Timestamp::MAX,
            expires: None,
        }),
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
    (any::<bool>(), any::<bool>()).prop_map(|(creation, change)| Gate {
        creation: creation.then_some(()),
        upgrade: None,
        change: change.then_some(()),
    })
}

fn resolve(
    desired: &Desired,
    observed: Observed<'_>,
    gate: Gate<()>,
    applied: Option<&Applied>,
) -> Action<()> {
    let (owner, predecessors) = (owner(), ["old".to_owned()].into());
    let resolver =
        Resolver { owner: &owner, uid: UID, predecessors: &predecessors, now: Timestamp::UNIX_EPOCH };
    resolver.resolve(desired, observed, gate, Known { applied, digest: digest(desired) })
}

proptest! {
    #[test]
    fn an_action_that_was_performed_resolves_to_nothing(
        policy in 0..3_usize, deletion in behavior(), found in found(), known in knowledge(), memory in 0..5_usize,
    ) {
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let applied = remembered(memory, digest(&desired), &seen);
        let observed = observed(known, &seen, &stored);
        let action = resolve(&desired, observed, Gate::OPEN, applied.as_ref());
        if matches!(action, Action::Apply(_) | Action::Create | Action::Issue | Action::SetOwner) {
            let (now, applied) = performed(&action, &desired, &seen);
            let again = resolve(&desired, Observed::Watched(&now), Gate::OPEN, Some(&applied));
            prop_assert_eq!(again, Action::Nothing, "after {:?}", action);
        }
    }

    #[test]
    fn the_content_of_an_immutable_object_is_never_changed(
        policy in 0..3_usize, deletion in behavior(), found in found(), gate in gates(), memory in 0..5_usize,
    ) {
        let found = Found { immutable: true, ..found };
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let applied = remembered(memory, digest(&desired), &seen);
        for observed in [Observed::Watched(&seen), Observed::Stored(&stored)] {
            let action = resolve(&desired, observed, gate, applied.as_ref());
            let changes = matches!(action, Action::Apply(_) | Action::Create | Action::Issue);
            prop_assert!(!changes, "{:?} of {:?}", action, observed);
        }
    }

    #[test]
    fn an_existing_object_is_neither_created_nor_blocked_and_the_creation_of_an_absent_object_waits_for_the_gate(
        policy in 0..3_usize, deletion in behavior(), found in found(), known in knowledge(), gate in gates(),
    ) {
        let desired = desired(policy, deletion);
        let (seen, stored) = (found.watched(digest(&desired)), found.stored());
        let action = resolve(&desired, observed(known, &seen, &stored), gate, None);
        match known {
            Knowledge::Absent if gate.keeps_away().is_some() => {
                prop_assert_eq!(action, Action::Blocked { by: () });
            }
            Knowledge::Absent => {
                let creates = matches!(action, Action::Create | Action::Apply(Apply::New) | Action::Issue);
                prop_assert!(creates, "{:?}", action);
            }
            Knowledge::Named | Knowledge::Watched | Knowledge::Stored => {
                let creates =
                    matches!(action, Action::Create | Action::Apply(Apply::New) | Action::Blocked { .. });
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
    fn nothing_is_deleted_that_is_wanted_immutable_or_created_by_another_program(
        children in prop::collection::vec((found(), 0..3_usize, any::<bool>(), any::<bool>()), 0..8),
    ) {
        let provenance = [Provenance::Operator, Provenance::Appropriated, Provenance::Foreign];
        let children: Vec<_> = (0..).zip(children).map(|(number, (found, which, deleting, here))| {
            let seen = found.watched(None);
            let namespace = if here { "ns" } else { "elsewhere" };
            ObservedObject {
                key: ObjectKey::of::<Secret>(namespace, &format!("{number}")),
                observation: Observation { provenance: provenance[which], deleting, ..seen },
            }
        }).collect();
        let wanted: BTreeSet<_> = children.iter().map(|child| &child.key).step_by(2).collect();
        let unwanted = unwanted(children.clone(), "ns", &wanted);
        for child in &unwanted.deleted {
            prop_assert!(children.contains(child), "with the uid that was observed");
            prop_assert!(!wanted.contains(&child.key) && child.key.namespace == "ns");
            let Observation { immutable, deleting, provenance, .. } = child.observation;
            prop_assert_eq!((immutable, deleting, provenance), (false, false, Provenance::Operator));
        }
    }
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
