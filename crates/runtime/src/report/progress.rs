//! Reports the progress of reconciles while they run, for programs that show it.

use plan::{Failure, ObjectKey, Outcome, Verdict};
use serde_json::Value;
use std::sync::Arc;

/// Receives the progress of reconciles, in order for each owner.
///
/// Reconciles call it, so it must neither block nor panic. It may receive the same progress again.
pub trait Observer: Send + Sync {
    /// Receives a step of progress.
    fn observe(&self, progress: Progress);

    /// Receives the stored object before its reconcile.
    fn see(&self, _owner: &ObjectKey, _object: &dyn Fn() -> Value) {}
}

/// Calls several observers, one after the other.
impl Observer for Vec<Arc<dyn Observer>> {
    fn observe(&self, progress: Progress) {
        for observer in self {
            observer.observe(progress.clone());
        }
    }

    fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
        for observer in self {
            observer.see(owner, object);
        }
    }
}

/// A step in the reconcile of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The owner.
    pub owner: ObjectKey,
    /// The stage that it has reached.
    pub stage: Stage,
}

/// A stage of the reconcile of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Planning is complete, with these children in topological order.
    Planned(Vec<Planned>),
    /// The state of a child changed.
    Child {
        /// Which child.
        object: ObjectKey,
        /// Its state.
        state: State,
    },
    /// The reconcile ended. If planning failed, the verdict states why.
    Concluded(Verdict),
    /// The user has paused the reconciliation.
    Paused,
    /// The owner was deleted, or is being deleted.
    Deleted,
}

/// A child that should exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Which object.
    pub object: ObjectKey,
    /// Positions of the children that it depends on; all of them are smaller than its own.
    pub after: Vec<usize>,
}

/// The state of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The operator is writing it.
    Applying,
    /// It is written and not ready yet; the message states what is left.
    Waiting(String),
    /// It is ready.
    Ready,
    /// The operator could not write it, or it reports that it failed.
    Failed(Failure),
    /// The operator did not try it, because another child is not ready.
    Blocked {
        /// The root cause: a child that waits or has failed.
        by: ObjectKey,
    },
}

/// Passes progress to the observer, if there is one. Without observer it costs nothing.
#[derive(Clone, Default)]
pub(crate) struct ProgressSink(pub(crate) Option<Arc<dyn Observer>>);

impl ProgressSink {
    pub(crate) fn stored(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
        if let Some(observer) = &self.0 {
            observer.see(owner, object);
        }
    }

    pub(crate) fn stage(&self, owner: &ObjectKey, stage: impl FnOnce() -> Stage) {
        if let Some(observer) = &self.0 {
            observer.observe(Progress { owner: owner.clone(), stage: stage() });
        }
    }

    pub(crate) fn child(&self, owner: &ObjectKey, child: &ObjectKey, state: impl FnOnce() -> State) {
        self.stage(owner, || Stage::Child { object: child.clone(), state: state() });
    }

    /// Reports the state of the children whose outcome matches `which`.
    pub(crate) fn outcomes(
        &self,
        owner: &ObjectKey,
        planned: impl FnOnce() -> Vec<Planned>,
        outcomes: &[Outcome],
        which: impl Fn(&Outcome) -> bool,
    ) {
        if self.0.is_none() {
            return;
        }
        let nodes = planned();
        let causes = root_causes(&nodes, outcomes);
        for ((node, outcome), cause) in nodes.iter().zip(outcomes).zip(causes) {
            let state = match outcome {
                Outcome::Ready => State::Ready,
                Outcome::Waiting { why, .. } => State::Waiting(why.clone()),
                Outcome::Failed(failure) => State::Failed(failure.clone()),
                Outcome::Blocked => match cause.and_then(|cause| nodes.get(cause)) {
                    Some(cause) => State::Blocked { by: cause.object.clone() },
                    // The reconcile was interrupted; the cause is unknown.
                    None => continue,
                },
            };
            if which(outcome) {
                self.child(owner, &node.object, || state);
            }
        }
    }
}

/// For each node, the first node in topological order that prevents it from being ready: itself, or a dependency.
fn root_causes(nodes: &[Planned], outcomes: &[Outcome]) -> Vec<Option<usize>> {
    let mut causes: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    for (index, (node, outcome)) in nodes.iter().zip(outcomes).enumerate() {
        causes.push(match outcome {
            Outcome::Ready => None,
            Outcome::Waiting { .. } | Outcome::Failed(_) => Some(index),
            Outcome::Blocked => {
                node.after.iter().filter_map(|after| causes.get(*after).copied().flatten()).min()
            }
        });
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use plan::Class;
    use std::sync::{Mutex, PoisonError};

    #[derive(Default)]
    struct Notes(Mutex<Vec<(String, State)>>);

    impl Observer for Notes {
        fn observe(&self, progress: Progress) {
            if let Stage::Child { object, state } = progress.stage {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push((object.name.clone(), state));
            }
        }
    }

    fn key(name: &str) -> ObjectKey {
        ObjectKey::of::<Secret>("ns", name)
    }

    fn node(name: &str, after: &[usize]) -> Planned {
        Planned { object: key(name), after: after.to_vec() }
    }

    fn reported(nodes: &[Planned], outcomes: &[Outcome]) -> Vec<(String, State)> {
        let observer = Arc::new(Notes::default());
        ProgressSink(Some(observer.clone())).outcomes(&key("owner"), || nodes.to_vec(), outcomes, |_| true);
        let mut reported = observer.0.lock().unwrap();
        std::mem::take(&mut *reported)
    }

    #[test]
    fn a_blocked_child_names_the_root_cause_and_never_another_blocked_child() {
        let failure =
            Failure { class: Class::Invalid, reason: "Rejected", message: "no".into(), stalls: true };
        let nodes = [node("a", &[]), node("b", &[]), node("c", &[0, 1]), node("d", &[2]), node("e", &[0])];
        let outcomes = [
            Outcome::Ready,
            Outcome::Failed(failure.clone()),
            Outcome::Blocked,
            Outcome::Blocked,
            Outcome::Waiting { object: key("e"), why: "later".into() },
        ];
        let expected = [
            ("a", State::Ready),
            ("b", State::Failed(failure)),
            ("c", State::Blocked { by: key("b") }),
            ("d", State::Blocked { by: key("b") }),
            ("e", State::Waiting("later".into())),
        ];
        assert_eq!(reported(&nodes, &outcomes), expected.map(|(name, state)| (name.to_owned(), state)));
    }

    #[test]
    fn children_that_a_stopping_operator_did_not_try_are_not_reported() {
        let nodes = [node("a", &[]), node("b", &[0])];
        assert_eq!(
            reported(&nodes, &[Outcome::Ready, Outcome::Blocked]),
            [("a".to_owned(), State::Ready)],
            "no cause is known"
        );
    }

    #[test]
    fn several_observers_all_receive_progress_and_objects() {
        #[derive(Default)]
        struct Witness(Mutex<Vec<String>>);
        impl Observer for Witness {
            fn observe(&self, progress: Progress) {
                self.0.lock().unwrap().push(format!("{:?}", progress.stage));
            }

            fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
                self.0.lock().unwrap().push(format!("{owner}: {}", object()));
            }
        }
        let witnesses = [(); 2].map(|()| Arc::new(Witness::default()));
        let observers: Vec<Arc<dyn Observer>> =
            witnesses.iter().map(|witness| witness.clone() as _).collect();
        let progress = ProgressSink(Some(Arc::new(observers)));
        progress.stored(&key("owner"), &|| "as stored".into());
        progress.stage(&key("owner"), || Stage::Paused);
        for witness in witnesses {
            assert_eq!(*witness.0.lock().unwrap(), ["Secret ns/owner: \"as stored\"", "Paused"]);
        }
    }
}
