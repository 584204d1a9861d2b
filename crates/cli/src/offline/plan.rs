//! Plans an object without a cluster.

use super::object_store::ObjectStore;
use plan::{ComponentKind, Defaults, Needed, Plan, PlanError, Planned, Snapshot, Undecodable};
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
    let mut snapshot = Snapshot::new();
    loop {
        match owner.plan(&snapshot, defaults) {
            Planned::Done(plan) => return Ok(plan),
            Planned::Failed { error, .. } => return Err(Unplanned::Failed(error)),
            // A component that asks again for what it was given would never stop.
            Planned::Needs(needed) if needed.keys.iter().all(|key| snapshot.contains_key(key)) => {
                return Err(Unplanned::Failed(PlanError::Unread(needed.keys)));
            }
            Planned::Needs(Needed { keys, statuses }) => {
                snapshot.extend(keys.into_iter().map(|key| {
                    let object = store.read(&key);
                    // A file says what should be, so that is how it will be.
                    let ready = |object| {
                        if statuses.contains(&key) { plan::placeholder::ready(object) } else { object }
                    };
                    (key.clone(), object.map(ready))
                }));
            }
        }
    }
}
