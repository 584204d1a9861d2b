//! Plans an object without a cluster.

use crate::known::Known;
use plan::{ComponentKind, Defaults, ObjectKey, Plan, PlanError, Planned, Snapshot, Undecodable};
use serde_json::Value;

/// Why there is no plan.
#[derive(Debug)]
pub enum Unplanned {
    /// The object is not of its kind.
    Undecodable(Undecodable),
    /// The object asks for something that cannot be.
    Failed(PlanError),
}

/// The component of an object, whatever its version.
pub fn component<'a>(components: &'a [ComponentKind], key: &ObjectKey) -> Option<&'a ComponentKind> {
    components.iter().find(|component| component.is(&key.group, &key.kind))
}

/// The names of all kinds, for messages.
pub fn names(components: &[ComponentKind]) -> String {
    let names: Vec<_> = components.iter().map(|component| component.resource().kind.as_str()).collect();
    names.join(", ")
}

/// Plans an object of this kind, answering its reads from what is known.
pub fn plan_offline(
    component: &ComponentKind,
    object: Value,
    known: &Known,
    defaults: &Defaults,
) -> Result<Plan, Unplanned> {
    let owner = component.decode(object).map_err(Unplanned::Undecodable)?;
    let mut snapshot = Snapshot::new();
    loop {
        match owner.plan(&snapshot, defaults) {
            Planned::Done(plan) => return Ok(plan),
            Planned::Failed { error, .. } => return Err(Unplanned::Failed(error)),
            // The component asks again for what it was shown, and would never stop.
            Planned::Needs(keys) if keys.iter().all(|key| snapshot.contains_key(key)) => {
                return Err(Unplanned::Failed(PlanError::Unread(keys)));
            }
            Planned::Needs(keys) => {
                snapshot.extend(keys.into_iter().map(|key| {
                    let object = known.read(&key);
                    (key, object)
                }));
            }
        }
    }
}
