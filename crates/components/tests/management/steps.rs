//! What tests do with an object of each kind at once.

use crate::{
    case::{Case, Thing},
    world::{INTERVAL, World},
};
use kube::{
    api::{DeleteParams, Patch, PatchParams},
    runtime::wait::await_condition,
};
use serde_json::{Value, json};
use tokio::time::timeout;

pub async fn create(world: &World, cases: &[Case], changes: Value) {
    for case in cases {
        world.create(case.object(changes.clone())).await;
    }
}

pub async fn merge(world: &World, case: &Case, spec: Value) {
    let patch = Patch::Merge(json!({"spec": spec}));
    case.api(world).patch(&case.name, &PatchParams::default(), &patch).await.unwrap();
}

/// Makes the change of each kind that has one.
pub async fn change(world: &World, cases: &[Case]) {
    for case in cases {
        if let Some(change) = &case.change {
            merge(world, case, change.clone()).await;
        }
    }
}

pub async fn delete(world: &World, cases: &[Case]) {
    for case in cases {
        case.api(world).delete(&case.name, &DeleteParams::default()).await.unwrap();
    }
}

/// Waits up to ten minutes of virtual time for each.
pub async fn until_gone(world: &World, cases: &[Case]) {
    for case in cases {
        let gone = await_condition(case.api(world), &case.name, |object: Option<&_>| object.is_none());
        assert!(timeout(INTERVAL * 2, gone).await.is_ok(), "{} {} is gone", case.kind, case.name);
    }
}

pub async fn until_reason(world: &World, cases: &[Case], reason: &str) {
    for case in cases {
        println!("{} {}: {reason}", case.kind, case.name);
        world.until_reason_of(case.api(world), &case.name, reason).await;
    }
}

pub fn things(cases: &[Case]) -> impl Iterator<Item = (&'static str, &Thing)> {
    cases.iter().filter_map(|case| Some((case.kind, case.thing.as_ref()?)))
}
