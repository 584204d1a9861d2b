//! Reports the result of a reconcile: the status of the owner, and events about it.

use super::{Owner, Reconciler, Session};
use crate::{
    ReconcileError,
    cluster::MAX_OWNER_DEPTH,
    report::{FIRST_STATUS, operator_status, previous_status, until_next_details, write_status},
};
use api::names::PAUSE_ANNOTATION;
use api::v1beta1::ComponentStatus;
use k8s_openapi::api::core::v1::ObjectReference;
use plan::{
    Announcement, Aspects, Clock, Conclusion, Difference, OwnerAccess, Serving, Status, StatusInput, Subject,
    Verdict, Warning, controller_of,
};
use std::{collections::BTreeMap, sync::PoisonError, time::Duration};
use tokio::time::Instant;

/// What a verdict was made from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reasons<'a> {
    /// What the failure or the wait is about that the verdict reports.
    pub(crate) cause: Option<&'a Subject>,
    /// The verdict on each aspect; `None` if planning failed.
    pub(crate) aspects: Option<&'a Aspects>,
}

impl Reconciler {
    /// Writes the status if it differs, and sends an event if the verdict is a new problem or the end of one. If a
    /// minor difference is not worth a request yet, returns after how long to write it.
    pub(crate) async fn report(
        &self,
        owner: &Owner,
        session: &mut Session,
        verdict: &Verdict,
        Reasons { cause, aspects }: Reasons<'_>,
    ) -> Result<Option<Duration>, ReconcileError> {
        if self.component.access == OwnerAccess::OnlyRead {
            self.report_by_event(owner, session, verdict);
            return Ok(None);
        }
        let previous = previous_status(&owner.stored, session.written.as_ref());
        let index = &self.context.cluster.router.index;
        let replicas = session.memo.replicas(index);
        let children: Vec<_> = index.owned_by(owner.uid()).into_iter().map(|it| it.key).collect();
        let serving = session.memo.serving(&children, index);
        let advice = owner.decoded.as_ref().map(|owner| owner.advice()).unwrap_or_default();
        let common = self.input(owner, &previous.common);
        let input = StatusInput { replicas, serving, found: aspects, advice: &advice, ..common };
        let (status, warnings, news) = conclude(owner, session, (verdict, cause), &previous, &input);
        match Difference::between(&previous, &status) {
            Difference::Nothing => return Ok(None),
            Difference::Details if verdict.is_waiting() => {
                if let Some(wait) = session.written_at.and_then(until_next_details) {
                    return Ok(Some(wait));
                }
            }
            Difference::Significant if self.may_wait(owner, session, &previous, verdict) => {
                return Ok(Some(FIRST_STATUS));
            }
            Difference::Details | Difference::Significant => {}
        }
        let before = previous.common.conditions.into_iter().find(|condition| condition.type_ == "Ready");
        let before = before.and_then(|condition| Some((condition.reason?, condition.message)));
        self.write(owner, session, status).await?;
        let before = before.as_ref().map(|(reason, message)| (reason.as_str(), message.as_deref()));
        if session.problem.needs_event(before, verdict) {
            self.context.events.verdict(self.reference(owner), verdict);
            if verdict.is_missing() {
                self.report_to_ancestors(owner, verdict);
            }
        }
        for warning in &warnings {
            self.context.events.warning(self.reference(owner), warning);
        }
        for announcement in &news {
            self.context.events.announce(self.reference(owner), announcement);
        }
        Ok(None)
    }

    /// Sends an event if the verdict on an owner whose status is not written is a new problem or the end of one. Another process
    /// of the operator does not know which events were sent, and sends that of a problem again.
    fn report_by_event(&self, owner: &Owner, session: &mut Session, verdict: &Verdict) {
        let now = (verdict.reason(), verdict.message().map(str::to_owned));
        let before = session.verdict.replace(now);
        let before = before.as_ref().map(|(reason, message)| (*reason, message.as_deref()));
        if session.problem.needs_event(before, verdict) {
            self.context.events.verdict(self.reference(owner), verdict);
        }
    }

    /// Whether the status may wait for a moment: it is the first status of a child whose children are not ready yet.
    fn may_wait(&self, owner: &Owner, session: &mut Session, previous: &Status, verdict: &Verdict) -> bool {
        let is_first = previous.common.conditions.is_empty() && verdict.is_waiting();
        let is_part = controller_of(owner.meta(), &owner.key.namespace)
            .is_some_and(|parent| parent.key().group == self.component.resource().group);
        let since = session.first_status_due.get_or_insert_with(|| Instant::now() + FIRST_STATUS);
        is_first && is_part && Instant::now() < *since
    }

    /// Reports a missing object or kind also for the ancestors, because the user created the topmost one.
    fn report_to_ancestors(&self, owner: &Owner, verdict: &Verdict) {
        let index = &self.context.cluster.router.index;
        let resource = self.component.resource();
        let first = controller_of(owner.meta(), &owner.key.namespace);
        let ancestors = std::iter::successors(first, |owner| index.child(owner.key())?.owner);
        // Objects of other programs get no events of this operator.
        let ours = ancestors.take_while(|owner| owner.key().group == resource.group).take(MAX_OWNER_DEPTH);
        for ancestor in ours {
            let about = ObjectReference {
                api_version: Some(resource.api_version.clone()),
                kind: Some(ancestor.key().kind.clone()),
                namespace: Some(ancestor.key().namespace.clone()),
                name: Some(ancestor.key().name.clone()),
                uid: ancestor.controller().map(str::to_owned),
                ..ObjectReference::default()
            };
            self.context.events.verdict_of_part(about, &owner.key, verdict);
        }
    }

    /// Writes the status of a paused owner, if the operator writes its status at all.
    pub(crate) async fn report_pause(
        &self,
        owner: &Owner,
        session: &mut Session,
    ) -> Result<Option<Duration>, ReconcileError> {
        if self.component.access == OwnerAccess::OnlyRead {
            return Ok(None);
        }
        let previous = previous_status(&owner.stored, session.written.as_ref());
        let message = format!("the annotation {PAUSE_ANNOTATION} is set; remove it to resume");
        let common = plan::paused(&self.input(owner, &previous.common), &message);
        if common != previous.common {
            self.write(owner, session, Status { common, ..previous }).await?;
        }
        Ok(None)
    }

    /// The reference to the owner for events.
    pub(super) fn reference(&self, owner: &Owner) -> ObjectReference {
        let (meta, resource) = (owner.meta(), self.component.resource());
        ObjectReference {
            api_version: Some(resource.api_version.clone()),
            kind: Some(resource.kind.clone()),
            namespace: meta.namespace.clone(),
            name: meta.name.clone(),
            uid: meta.uid.clone(),
            resource_version: meta.resource_version.clone(),
            ..ObjectReference::default()
        }
    }

    fn input<'a>(&self, owner: &Owner, previous: &'a ComponentStatus) -> StatusInput<'a> {
        StatusInput {
            previous,
            generation: owner.meta().generation,
            operator: operator_status(self.component.name),
            at: (self.context.clock)(),
            replicas: None,
            serving: Serving::Unavailable,
            aspects: self.component.aspects,
            found: None,
            advice: &[],
        }
    }

    async fn write(
        &self,
        owner: &Owner,
        session: &mut Session,
        status: Status,
    ) -> Result<(), ReconcileError> {
        let (client, resource) = (&self.context.cluster.client, self.component.resource());
        session.written = write_status(client, resource, &owner.key, &self.manager, status).await?;
        session.written_at = Some(Instant::now());
        Ok(())
    }
}

/// The status of an owner, the warnings that begin with it, and what else users should learn of it. Notes when the status will be another one although nothing
/// else changes.
fn conclude(
    owner: &Owner,
    session: &mut Session,
    (verdict, cause): (&Verdict, Option<&Subject>),
    previous: &Status,
    input: &StatusInput<'_>,
) -> (Status, Vec<Warning>, Vec<Announcement>) {
    let mut common = plan::fold(input, verdict);
    let Ok(object) = &owner.decoded else {
        return (Status { common, details: previous.details.clone() }, Vec::new(), Vec::new());
    };
    let clock = Clock::new(input.at);
    let record = session.recorded.lock().unwrap_or_else(PoisonError::into_inner).record().clone();
    let (status, nothing) = (common.clone(), BTreeMap::new());
    let conclusion = Conclusion {
        verdict,
        cause,
        clock: &clock,
        status: &status,
        previous: &previous.details,
        external: session.memo.last.as_ref().map_or(&nothing, |run| &run.external),
        record: &record,
        rotations: session.memo.last.as_ref().map(|run| &*run.rotations),
        written: session.memo.written,
    };
    let (details, news) = (object.details(&conclusion), object.news(&conclusion));
    let conditions = object.conditions(&conclusion);
    let warnings = conditions.iter().filter_map(|condition| condition.report(input, &mut common)).collect();
    session.report_due = clock.until();
    (Status { common, details }, warnings, news)
}
