//! Plans an object without a cluster.

use super::object_store::ObjectStore;
use plan::{ComponentKind, Defaults, Needed, ObjectKey, Plan, PlanError, Snapshot, Undecodable};
use serde_json::Value;

/// Why there is no plan.
#[derive(Debug)]
pub enum Unplanned {
    /// The object does not fit its kind.
    Undecodable(Undecodable),
    /// The plan failed.
    Failed(PlanError),
}

/// Plans an object of this kind, with its reads answered from the store.
pub fn plan_offline(
    component: &ComponentKind,
    object: Value,
    store: &ObjectStore,
    defaults: &Defaults,
) -> Result<Plan, Unplanned> {
    let owner = component.decode(object).map_err(Unplanned::Undecodable)?;
    let read = |Needed { keys, statuses }: Needed| {
        // A file says what should be, so that is how it will be.
        let read = |key: &ObjectKey| match store.read(key) {
            Some(object) if statuses.contains(key) => Some(plan::placeholder::ready(object)),
            object => object,
        };
        keys.into_iter().map(|key| (key.clone(), read(&key))).collect()
    };
    let pass = |snapshot: &Snapshot| owner.plan(snapshot, defaults);
    plan::until_planned(Snapshot::new(), pass, read).map_err(Unplanned::Failed)
}
