//! Reports the progress of a reconcile to the observer.

use plan::{ObjectKey, Outcome};
use progress::{Observer, Planned, Progress, Stage, State};
use serde_json::Value;
use std::sync::Arc;

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
                Outcome::Waiting { why, .. } | Outcome::Held { why, .. } => State::Waiting(why.clone()),
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
            Outcome::Waiting { .. } | Outcome::Held { .. } | Outcome::Failed(_) => Some(index),
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
    use plan::{Class, Failure};
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
        let failure = Failure {
            class: Class::Invalid,
            reason: "Rejected",
            message: "no".into(),
            subject: plan::Subject::default(),
            stalls: true,
        };
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
}
