//! What a user has applied and waits for.

use super::{Condition, Root, Scene};
use plan::{ObjectKey, Readiness};
use std::time::Duration;

/// An object that was applied and is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Straggler {
    /// Which object.
    pub key: ObjectKey,
    /// Where it is.
    pub condition: Condition,
    /// Those of its children that are not ready either.
    pub children: Vec<(ObjectKey, Condition)>,
}

impl Scene {
    /// Awaits an object that was applied.
    pub fn expect(&mut self, key: &ObjectKey, at: Duration) {
        self.root(key, at).applied = true;
    }

    /// Takes in what an applied object's own status says.
    pub fn judge(&mut self, key: &ObjectKey, readiness: Readiness, at: Duration) {
        let root = self.root(key, at);
        root.judged = Some(match readiness {
            Readiness::Ready => Condition::Ready,
            Readiness::Progressing(why) => Condition::Waiting(why),
            Readiness::Failed(why) => Condition::Failed(why),
        });
        self.note_root(key, at);
    }

    /// Whether everything that was applied is ready, as its own status says.
    pub fn is_ready(&self) -> bool {
        self.applied().all(|root| root.judged == Some(Condition::Ready))
    }

    /// What was applied and is not ready.
    pub fn stragglers(&self) -> Vec<Straggler> {
        let unready = self.applied().filter(|root| root.judged != Some(Condition::Ready));
        let unready = unready.map(|root| {
            let children = root.children.iter().filter(|child| child.at.condition != Condition::Ready);
            let children = children.map(|child| (child.key.clone(), child.at.condition.clone()));
            Straggler { key: root.key.clone(), condition: root.condition(), children: children.collect() }
        });
        unready.collect()
    }

    fn applied(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().filter(|root| root.applied)
    }
}
