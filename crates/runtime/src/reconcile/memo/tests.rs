//! The law of the memory: where it says that a reconcile would send nothing, the resolver says the same of every child.

use super::*;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::core::{ApiResource, DynamicObject, ObjectMeta};
use plan::{
    Action, AnyManifest, Certificate, External, Health, Issuance, Known, Observed, ObservedObject,
    OwnedFields, Policy, Resolver, Role, System, desired_digest, starts_after, upgrades_after, wanted,
};
use serde_json::json;

const UID: &str = "uid-of-acme";

fn owner() -> ObjectKey {
    ObjectKey::new("test.io", "Widget", "ns", "acme")
}

fn meta(name: &str) -> ObjectMeta {
    let owner = json!({
        "apiVersion": "test.io/v1", "kind": "Widget", "name": "acme", "uid": UID, "controller": true,
    });
    let meta =
        json!({"name": name, "namespace": "ns", "uid": format!("uid-of-{name}"), "ownerReferences": [owner]});
    serde_json::from_value(meta).unwrap()
}

fn secret(kind: &str) -> Secret {
    let metadata = ObjectMeta { uid: None, ..meta("s") };
    Secret { metadata, type_: Some(kind.into()), ..Secret::default() }
}

/// One of each sort of child.
fn children() -> Vec<(&'static str, Desired)> {
    let (role, days) = (Role::Leaf { authority: None, also_trusted: None }, 1);
    let issuance =
        Issuance { subject: "s".into(), dns_names: Vec::new(), ip_addresses: Vec::new(), role, days };
    let system = System::new("depot", "ns", "acme");
    vec![
        ("applied", Desired::from(secret("new"))),
        ("applied, its upgrade held", Desired::from(secret("new")).held_as(secret("old"), "waits")),
        ("applied, left unchanged", Desired::from(secret("new")).held("waits")),
        ("created once", Desired::once(secret("new"))),
        ("issued", Desired::issued(secret("new"), issuance)),
        ("awaited", Desired::awaited(secret("new"), "another program creates it")),
        ("outside", Desired::external(External::new(&system, "box", "s", json!({"label": "tea"})))),
    ]
}

fn digest(object: &dyn AnyManifest) -> plan::Digest {
    desired_digest(&object.to_json().unwrap(), "harbor-operator/widget").unwrap()
}

/// The states in which a reconcile that did this can have left a child.
fn left_in(desired: &Desired, done: &Done, gate: Gate<usize>, seen: &Observation) -> Vec<Applied> {
    let (uid, owned_fields) = (seen.uid.clone(), seen.owned_fields);
    let sent = || digest(wanted(desired, gate));
    match (&desired.policy, done) {
        // The version of an object is among the reads of a plan that holds it.
        (_, Done::Everything) if desired.held.is_some() && gate.upgrade.is_some() => vec![],
        (Policy::Apply, Done::Held(_))
            if gate.change.is_some() || matches!(&desired.held, Some(it) if it.object.is_none()) =>
        {
            vec![Applied::Exists]
        }
        (Policy::Apply, _) => {
            vec![Applied::Sent { digest: sent(), pods: None, uid, owned_fields }, Applied::Immutable]
        }
        (Policy::CreateOnce { .. }, _) => vec![Applied::Exists, Applied::Immutable],
        (Policy::Issue(_), Done::Held(_)) if gate.change.is_some() => vec![Applied::Exists],
        (Policy::Issue(_), _) => {
            let (asked, due) = (sent(), Timestamp::MAX);
            let issued = Applied::Issued(Certificate { asked, uid, owned_fields, due, expires: None });
            vec![issued, Applied::Immutable]
        }
        (Policy::Await { .. }, _) => {
            vec![Applied::Awaited(Health::READY), Applied::Awaited(Health::undecodable())]
        }
        (Policy::External(_), _) => vec![Applied::External { written: None }],
        (Policy::Amend { .. }, _) => vec![Applied::Amended],
    }
}

/// What may have happened to a child since: its new states, `None` if it is gone.
fn changes(seen: &Observation) -> Vec<Option<Observation>> {
    let other_fields = OwnedFields::of(
        &serde_json::from_value(json!({"managedFields": [
            {"manager": "harbor-operator/widget", "operation": "Apply", "fieldsV1": {"f:data": {}}},
        ]}))
        .unwrap(),
    );
    let kept = Some(Ownership::Kept(owner()));
    vec![
        None,
        Some(seen.clone()),
        Some(Observation { immutable: true, ..seen.clone() }),
        Some(Observation { owned_fields: other_fields, ..seen.clone() }),
        Some(Observation { uid: "uid-of-a-newer-s".into(), ..seen.clone() }),
        Some(Observation { unadopted: true, owned_fields: other_fields, ..seen.clone() }),
        Some(Observation { owner: kept, owned_fields: other_fields, ..seen.clone() }),
        Some(Observation { health: Health::undecodable(), ..seen.clone() }),
    ]
}

fn observed<K: plan::Manifest>(name: &str) -> ObservedObject {
    let resource = ApiResource::erase::<K>(&());
    ObservedObject::of(&resource, &meta(name), Health::READY, &BTreeSet::new()).unwrap()
}

#[test]
fn where_the_memory_has_outcomes_the_resolver_would_change_nothing() {
    let levels = [Reached::Nothing, Reached::Available, Reached::Current, Reached::Ready];
    let dones = [Done::Nothing, Done::Held(None), Done::Held(Some("waits".into())), Done::Everything];
    let (mut remembered, mut changing) = (0, 0);
    for edge in 0..4 {
        for (number, (sort, _)) in children().into_iter().enumerate() {
            let graph = Graph::<Desired>::build(|graph| {
                let before = graph.add::<Deployment>(deployment(), ());
                let desired = children().swap_remove(number).1;
                match edge {
                    0 => graph.add::<Secret>(desired, ()),
                    1 => graph.add::<Secret>(desired, starts_after(before)),
                    2 => graph.add::<Secret>(desired, upgrades_after(before)),
                    _ => graph.add::<Secret>(desired, plan::confirms(before)),
                };
                Ok::<_, std::convert::Infallible>(())
            });
            let Ok(graph) = graph;
            let (id, desired, _) = graph.iter().next_back().unwrap();
            for (reached, done) in
                levels.iter().flat_map(|level| dones.iter().map(move |done| (*level, done)))
            {
                let seen = observed::<Secret>("s").observation;
                let gate = Gate::of(graph.edges(id).map(|(id, edges)| (id.index(), edges)), |_| reached);
                let states = left_in(desired, done, gate, &seen);
                for (applied, change) in states
                    .iter()
                    .flat_map(|state| changes(&seen).into_iter().map(move |change| (state, change)))
                {
                    let case =
                        format!("{sort}, edge {edge} at {reached:?}, {done:?}, {applied:?}, {change:?}");
                    match action(&graph, reached, done, applied, change) {
                        Some(Action::Nothing | Action::Hold | Action::Blocked { .. } | Action::Await) => {
                            remembered += 1;
                        }
                        Some(action) => panic!("{case}: {action:?}"),
                        None => changing += 1,
                    }
                }
            }
        }
    }
    assert!(remembered > 200 && changing > 200, "{remembered} {changing}");
}

fn deployment() -> Deployment {
    Deployment { metadata: meta("d"), ..Deployment::default() }
}

/// What the resolver says of the last child, if the memory has outcomes.
fn action(
    graph: &Graph<Desired>,
    reached: Reached,
    done: &Done,
    applied: &Applied,
    change: Option<Observation>,
) -> Option<Action<usize>> {
    let index = Index::default();
    index.track_children_of("test.io", "Widget");
    let mut before = observed::<Deployment>("d");
    before.observation.health.reached = reached;
    let sent = Applied::Sent {
        digest: digest(&deployment()),
        pods: None,
        uid: before.observation.uid.clone(),
        owned_fields: before.observation.owned_fields,
    };
    index.seen(before.clone());
    let (id, desired, _) = graph.iter().next_back().unwrap();
    let key = desired.object.key();
    if let Some(observation) = change.filter(|_| key.is_object()) {
        index.seen(ObservedObject { key: key.clone(), observation });
    }
    let mut dones = BTreeMap::from([(before.key.clone(), Done::Everything), (key.clone(), done.clone())]);
    let nodes: Vec<_> = graph.iter().map(|(id, ..)| Node::of(graph, id, &mut dones)).collect();
    let inputs = Inputs { owner: (UID.into(), None, BTreeSet::new()), reads: BTreeMap::new() };
    let memo = Memo {
        applied: [(before.key, sent), (key.clone(), applied.clone())].into(),
        last: Some(Run {
            inputs: inputs.clone(),
            nodes: nodes.clone(),
            external: BTreeMap::new(),
            until: None,
            waits: None,
            certificate: None,
            rotations: Vec::new(),
            replaced: BTreeSet::new(),
            is_outdated: false,
        }),
        ..Memo::default()
    };
    memo.outcomes(&inputs, &index)?;

    let gate = Gate::of(nodes[id.index()].after.iter().copied(), |_| reached);
    let seen = index.child(&key);
    let listed: DynamicObject = match &desired.policy {
        Policy::External(external) => DynamicObject::clone(&plan::outside(external.value.clone()).unwrap()),
        _ => DynamicObject { types: None, metadata: secret("new").metadata, data: json!({}) },
    };
    let observed = match (&desired.policy, done, &seen) {
        (Policy::External(_), Done::Held(_) | Done::Everything, _) => Observed::Stored(&listed),
        (_, _, Some(seen)) => Observed::Watched(seen),
        (_, _, None) => Observed::Absent,
    };
    let (owner, predecessors) = (owner(), BTreeSet::new());
    let resolver =
        Resolver { owner: &owner, uid: UID, predecessors: &predecessors, now: Timestamp::UNIX_EPOCH };
    let digest = (!matches!(desired.policy, Policy::External(_))).then(|| digest(wanted(desired, gate)));
    Some(resolver.resolve(
        desired,
        observed,
        gate,
        Known { applied: Some(applied), digest, ..Known::default() },
    ))
}
