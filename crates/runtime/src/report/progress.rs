//! What happens to each object, told while it happens, for whoever wants to show it.

use plan::{Failure, ObjectKey, Outcome, Verdict};
use serde_json::Value;
use std::sync::Arc;

/// Is told what happens, in order for each owner.
///
/// It is called in the midst of reconciles: it must neither wait nor panic. The same may be told again.
pub trait Observer: Send + Sync {
    /// Takes note.
    fn observe(&self, progress: Progress);

    /// Is shown an object before it is looked at, as it is stored. One that cannot be decoded has only its metadata.
    fn see(&self, _owner: &ObjectKey, _object: &dyn Fn() -> Value) {}
}

/// Several are told one after the other.
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

/// One thing that happened to an object, or to one of those it wants to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The object that is reconciled.
    pub owner: ObjectKey,
    /// How far it has come.
    pub stage: Stage,
}

/// How far an object has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is known what should exist, in topological order.
    Planned(Vec<Planned>),
    /// A child has come somewhere.
    Child {
        /// Which child.
        object: ObjectKey,
        /// Where.
        state: State,
    },
    /// A look at the object has ended. Without a plan, the verdict says why there is none.
    Concluded(Verdict),
    /// Nothing is done, because the user asked for that.
    Paused,
    /// It is gone, or going.
    Deleted,
}

/// A child that should exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Which object.
    pub object: ObjectKey,
    /// Positions of those it waits for; all of them are smaller than its own.
    pub after: Vec<usize>,
}

/// Where a child is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being written.
    Applying,
    /// It is as it was asked for, and not ready yet; the words say what is still to come.
    Waiting(String),
    /// It is ready.
    Ready,
    /// It could not be brought about, or says that it will not get there.
    Failed(Failure),
    /// It was not tried, because another child is not ready.
    Blocked {
        /// The child at the root of it, which itself waits or has failed.
        by: ObjectKey,
    },
}

/// Whoever listens; telling nobody costs nothing.
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

    /// Tells where a run has left every child, `which` of them matter.
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
        let culprits = culprits(&nodes, outcomes);
        for ((node, outcome), culprit) in nodes.iter().zip(outcomes).zip(culprits) {
            let state = match outcome {
                Outcome::Ready => State::Ready,
                Outcome::Waiting { why, .. } => State::Waiting(why.clone()),
                Outcome::Failed(failure) => State::Failed(failure.clone()),
                Outcome::Blocked => match culprit.and_then(|culprit| nodes.get(culprit)) {
                    Some(culprit) => State::Blocked { by: culprit.object.clone() },
                    // The run was cut short; nobody knows.
                    None => continue,
                },
            };
            if which(outcome) {
                self.child(owner, &node.object, || state);
            }
        }
    }
}

/// For each node, the first in topological order that keeps it from being ready: itself, or one it waits for.
fn culprits(nodes: &[Planned], outcomes: &[Outcome]) -> Vec<Option<usize>> {
    let mut culprits: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    for (index, (node, outcome)) in nodes.iter().zip(outcomes).enumerate() {
        culprits.push(match outcome {
            Outcome::Ready => None,
            Outcome::Waiting { .. } | Outcome::Failed(_) => Some(index),
            Outcome::Blocked => {
                node.after.iter().filter_map(|after| culprits.get(*after).copied().flatten()).min()
            }
        });
    }
    culprits
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

    fn told(nodes: &[Planned], outcomes: &[Outcome]) -> Vec<(String, State)> {
        let observer = Arc::new(Notes::default());
        ProgressSink(Some(observer.clone())).outcomes(&key("owner"), || nodes.to_vec(), outcomes, |_| true);
        let mut told = observer.0.lock().unwrap();
        std::mem::take(&mut *told)
    }

    #[test]
    fn what_is_blocked_names_the_first_cause_and_never_another_that_is_blocked() {
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
        assert_eq!(told(&nodes, &outcomes), expected.map(|(name, state)| (name.to_owned(), state)));
    }

    #[test]
    fn of_what_a_stopping_operator_did_not_try_nothing_is_told() {
        let nodes = [node("a", &[]), node("b", &[0])];
        assert_eq!(
            told(&nodes, &[Outcome::Ready, Outcome::Blocked]),
            [("a".to_owned(), State::Ready)],
            "nobody is to blame"
        );
    }

    #[test]
    fn several_observers_are_all_told_and_shown() {
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
