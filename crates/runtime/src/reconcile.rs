//! One look at one object: plan, bring about what differs, sweep, report.

use crate::{
    Failure, Sighting,
    apply::{Applier, node_span},
    index,
    learned::Learned,
    memo::{self, Memo},
    metrics::Looks,
    planning,
    progress::{Planned as PlannedChild, Stage},
    seal::Seal,
    session::Session,
    shared::Shared,
    source::Source,
    sweep::{Owner, sweep, unwanted},
};
use api::names::FIELD_MANAGER_PREFIX;
use kube::{
    Resource as _,
    core::{ApiResource, DeserializeGuard, ObjectMeta},
};
use plan::{Aspects, ChildKind, Component, Health, ObjectKey, Outcome, Plan, PlanError, Reached, Readiness};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    marker::PhantomData,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

/// How many children of one object are brought about at once.
const AT_ONCE: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// What one look found.
#[derive(Debug)]
pub(crate) struct Findings {
    /// What became of each child, or of the attempt to plan any.
    pub(crate) outcomes: Vec<Outcome>,
    /// The same by aspect; `None` where no plan could be made.
    pub(crate) aspects: Option<Aspects>,
}

/// The one controller, for whatever kind.
pub(crate) struct Reconciler<C> {
    pub(crate) shared: Arc<Shared>,
    pub(crate) looks: Looks,
    sessions: Mutex<HashMap<ObjectKey, Session>>,
    pub(crate) manager: String,
    pub(crate) resource: ApiResource,
    /// Set where objects of this kind are children of others.
    as_child: Option<ChildKind>,
    component: PhantomData<fn() -> C>,
}

impl<C: Component> Reconciler<C> {
    pub(crate) fn new(shared: Arc<Shared>, as_child: Option<ChildKind>) -> Self {
        let resource = ApiResource::erase::<C::Owner>(&());
        Self {
            looks: shared.metrics.looks(&resource.kind),
            shared,
            sessions: Mutex::default(),
            manager: format!("{FIELD_MANAGER_PREFIX}{}", C::NAME),
            resource,
            as_child,
            component: PhantomData,
        }
    }

    /// The object's session, taken out so that a reconcile that is given up leaves none behind.
    pub(crate) fn take_session(&self, key: &ObjectKey) -> Session {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(key).unwrap_or_default()
    }

    pub(crate) fn keep_session(&self, key: &ObjectKey, session: Session) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), session);
    }

    /// Forgets an object that no longer exists.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        self.take_session(key);
        self.shared.forbidden.forget(key);
        self.shared.audience.tell(key, || Stage::Deleted);
        self.shared.router.index.forget(key);
    }

    /// One look. What went wrong is in the outcomes; `Err` is what kept it from getting that far.
    pub(crate) async fn look(&self, owner: &C::Owner, session: &mut Session) -> Result<Findings, Failure> {
        if let Some(awaited) = self.predecessors_owner(owner) {
            return Ok(Findings { outcomes: vec![awaited], aspects: None });
        }
        let decided_on = decided_on(owner.meta());
        let remembered = match session.memo.due() {
            Some(due) if due <= (self.shared.clock)() => None,
            _ => session.memo.outcomes(&decided_on, &self.shared.router.index),
        };
        let outcomes = match remembered {
            Some(outcomes) => {
                let nodes = session.memo.last.as_ref().map_or(&[][..], |run| &run.nodes);
                self.shared.audience.tell_outcomes(&key_of::<C>(owner.meta()), nodes, &outcomes, |_| true);
                outcomes
            }
            None => self.run(owner, decided_on, &mut session.memo).await?,
        };
        if let Some(run) = &session.memo.last
            && !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)))
            && !self.shared.stop.is_cancelled()
        {
            let wanted = run.nodes.iter().map(|node| &node.key).collect();
            let uid = owner.meta().uid.as_deref().unwrap_or_default();
            let Shared { client, kinds, router, .. } = &*self.shared;
            let namespace = owner.meta().namespace.as_deref().unwrap_or_default();
            let unwanted = unwanted(router, Owner { namespace, uid }, &wanted);
            let happenings = sweep(client, kinds, router, unwanted).await?;
            self.shared.events.tell_happenings(&owner.object_ref(&()), &happenings);
        }
        let aspects = session
            .memo
            .last
            .as_ref()
            .map(|run| plan::aspects(run.nodes.iter().map(|node| node.aspect).zip(&outcomes)));
        Ok(Findings { outcomes, aspects })
    }

    /// Whom an object waits for that the old operator wrote: its owner, who is about to write it anew. To act on what it
    /// says until then would restart pods twice.
    fn predecessors_owner(&self, owner: &C::Owner) -> Option<Outcome> {
        let seen = self.shared.router.index.child(&key_of::<C>(owner.meta()))?;
        let owner = seen.owner.filter(|_| seen.unadopted)?;
        Some(Outcome::Waiting {
            object: owner.key().clone(),
            why: "has not taken this over from the old operator yet".into(),
        })
    }

    async fn run(
        &self,
        owner: &C::Owner,
        inputs: memo::Inputs,
        memo: &mut Memo,
    ) -> Result<Vec<Outcome>, Failure> {
        let key = &key_of::<C>(owner.meta());
        let Shared { client, router, kinds, cache, predecessors, dice, stop, audience, .. } = &*self.shared;
        if let Some((_, longest)) = memo.too_expensive.as_ref().filter(|(owner, _)| *owner == inputs.owner) {
            return Err(Failure::TooExpensive(*longest));
        }
        let Memo { applied, repairs, absences, .. } = memo.clone();
        let mut learned = Learned { applied, repairs, absences, ..Learned::default() };
        let read_before = memo.last.take().map(|run| run.inputs.reads).unwrap_or_default();
        let source = Source { client, router, kinds, cache };
        let planning = planning::plan::<C>(key, owner, self.shared.planned_with(), &source, &mut learned);
        let answer = match stop.run_until_cancelled(planning).await {
            None => return Ok(vec![Outcome::Blocked]),
            Some(Err(Failure::TooExpensive(longest))) => {
                memo.too_expensive = Some((inputs.owner, longest));
                return Err(Failure::TooExpensive(longest));
            }
            Some(answer) => answer?,
        };
        memo.absences = learned.absences.clone();
        let plan = match answer {
            Ok(plan) => plan,
            Err(failure) => {
                router.index.unsubscribe_from_others(key, &learned.reads.into_keys().collect());
                return Ok(unplanned(&failure));
            }
        };
        audience.tell(key, || Stage::Planned(planned(&plan)));
        let applier = Applier {
            owner: key,
            uid: owner.meta().uid.as_deref().unwrap_or_default(),
            audience,
            manager: &self.manager,
            predecessors,
            client,
            router,
            source,
            dice,
            seal: Seal::Key(&self.shared.digest_key),
            now: (self.shared.clock)(),
            read_before: &read_before,
            learned: Mutex::new(learned),
        };
        let report = graph::run(&plan.graph, AT_ONCE, stop, |id, desired| {
            applier.bring_about(desired, applier.gate(&plan.graph, id))
        })
        .await;

        let Learned { mut applied, mut done, reads, mut repairs, absences, happenings, .. } =
            applier.learned.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.shared.events.tell_happenings(&owner.object_ref(&()), &happenings);
        let nodes: Vec<_> =
            plan.graph.iter().map(|(id, ..)| memo::Node::of(&plan.graph, id, &mut done)).collect();
        let outcomes: Vec<_> =
            report.iter().zip(&nodes).map(|((_, outcome), node)| told(&node.key, outcome)).collect();
        audience.tell_outcomes(key, &nodes, &outcomes, |outcome| *outcome == Outcome::Blocked);
        // A trace shows all nodes, also those whose turn did not come.
        for (node, _) in nodes.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Blocked) {
            node_span(&node.key).record("outcome", "blocked");
        }
        let wanted: BTreeSet<_> = nodes.iter().map(|node| &node.key).collect();
        applied.retain(|child, _| wanted.contains(child));
        repairs.forget_all_but(&wanted);
        router.index.unsubscribe_from_others(key, &reads.keys().cloned().collect());
        *memo = Memo {
            applied,
            repairs,
            absences,
            too_expensive: None,
            last: Some(memo::Run { inputs: memo::Inputs { reads, ..inputs }, nodes }),
        };
        Ok(outcomes)
    }

    /// A complete list ended: those whose child is not on it must look.
    pub(crate) fn relisted(&self, listed: &BTreeSet<ObjectKey>) {
        let router = &self.shared.router;
        router.wake(router.index.listed(&self.resource.group, &self.resource.kind, listed));
    }

    /// How an object looks to those whose child it is; `None` where objects of its kind are nobody's.
    pub(crate) fn sighting(&self, owner: &DeserializeGuard<C::Owner>) -> Option<Sighting> {
        let kind = self.as_child.as_ref()?;
        let health = match &owner.0 {
            Ok(_) => (kind.health)(stored::<C>(owner)),
            Err(invalid) => {
                let words = Failure::Undecodable(invalid.error.clone()).to_string();
                Ok(Health { readiness: Readiness::Failed(words), reached: Reached::Nothing })
            }
        };
        let health = health.unwrap_or_else(|_| Health::undecodable());
        Sighting::of(&self.resource, owner.meta(), health, &self.shared.predecessors)
    }
}

/// The key of an object of this component's kind.
pub(crate) fn key_of<C: Component>(meta: &ObjectMeta) -> ObjectKey {
    ObjectKey::of::<C::Owner>(
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default(),
    )
}

/// What a plan that could not be made comes to.
pub(crate) fn unplanned(failure: &Failure) -> Vec<Outcome> {
    match failure {
        Failure::Plan(PlanError::Unsettled(objects)) => objects
            .iter()
            .map(|(object, why)| Outcome::Waiting { object: object.clone(), why: why.clone() })
            .collect(),
        failure => vec![Outcome::Failed(plan::Failure::from(failure))],
    }
}

/// The part of an owner its children are decided on: the spec, and labels and annotations.
fn decided_on(meta: &ObjectMeta) -> memo::Inputs {
    memo::Inputs {
        owner: (meta.uid.clone().unwrap_or_default(), meta.generation, index::tags(meta)),
        reads: BTreeMap::new(),
    }
}

/// The stored object as JSON; of one that cannot be decoded, its metadata.
pub(crate) fn stored<C: Component>(owner: &DeserializeGuard<C::Owner>) -> Value {
    match &owner.0 {
        Ok(owner) => serde_json::to_value(owner).unwrap_or_default(),
        Err(invalid) => json!({ "metadata": invalid.metadata }),
    }
}

/// The graph without its objects, which may be Secrets.
pub(crate) fn planned(plan: &Plan) -> Vec<PlannedChild> {
    let nodes = plan.graph.iter().map(|(_, desired, after)| PlannedChild {
        object: desired.object.key(),
        after: after.iter().map(|id| id.index()).collect(),
    });
    nodes.collect()
}

pub(crate) fn told(key: &ObjectKey, outcome: &graph::Outcome<Failure>) -> Outcome {
    match outcome {
        graph::Outcome::Ready => Outcome::Ready,
        graph::Outcome::Waiting(why) => Outcome::Waiting { object: key.clone(), why: why.clone() },
        graph::Outcome::Failed(failure) => Outcome::Failed(plan::Failure::from(failure)),
        graph::Outcome::Blocked { .. } | graph::Outcome::Cancelled => Outcome::Blocked,
    }
}
