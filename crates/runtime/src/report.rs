//! What users are told of a look: the status of the object, and events about it.

use crate::{
    Failure,
    index::{self, GENERATIONS},
    reconcile::{Reconciler, key_of, stored},
    session::Session,
    status,
};
use api::names::PAUSE_ANNOTATION;
use api::v1beta1::ComponentStatus;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Resource as _,
    core::{DeserializeGuard, ObjectMeta},
};
use plan::{Aspects, Component, Difference, Reached, Status, StatusInput, Verdict};
use std::time::Duration;
use tokio::time::Instant;

impl<C: Component> Reconciler<C> {
    /// Writes what a look came to, where that differs from what is written already, and tells of trouble. Answers after
    /// how long to come back, where there is more to write than is worth a request by now.
    pub(crate) async fn report(
        &self,
        owner: &DeserializeGuard<C::Owner>,
        session: &mut Session,
        verdict: &Verdict,
        aspects: Option<&Aspects>,
    ) -> Result<Option<Duration>, Failure> {
        let meta = owner.meta();
        let stored = stored::<C>(owner);
        let previous = status::previous(&stored, session.written.as_ref());
        let index = &self.shared.router.index;
        let replicas = session.memo.replicas(index);
        let children: Vec<_> =
            index.owned_by(meta.uid.as_deref().unwrap_or_default()).into_iter().map(|it| it.key).collect();
        let reached = session.memo.serving(&children, index).unwrap_or_default();
        let advice = owner.0.as_ref().map(C::advice).unwrap_or_default();
        let common = self.input(meta, &previous.common);
        let input = StatusInput { replicas, reached, found: aspects, advice: &advice, ..common };
        let common = plan::fold(&input, verdict);
        let details = match &owner.0 {
            Ok(owner) => C::details(owner, verdict, &common),
            Err(_) => previous.details.clone(),
        };
        let status = Status { common, details };
        match Difference::between(&previous, &status) {
            Difference::Nothing => return Ok(None),
            Difference::Details if verdict.is_waiting() => {
                if let Some(wait) = session.written_at.and_then(status::until_next) {
                    return Ok(Some(wait));
                }
            }
            Difference::Details | Difference::Substance => {}
        }
        let before = previous.common.conditions.into_iter().find(|condition| condition.type_ == "Ready");
        let before = before.and_then(|condition| Some((condition.reason?, condition.message)));
        self.write(meta, session, status).await?;
        let before = before.as_ref().map(|(reason, message)| (reason.as_str(), message.as_deref()));
        if session.trouble.is_news(before, verdict) {
            self.shared.events.tell(owner.object_ref(&()), verdict);
            if verdict.is_missing() {
                self.tell_ancestors(meta, verdict);
            }
        }
        Ok(None)
    }

    /// Tells of what is missing where users look: at the object that they made, which takes it for waiting.
    fn tell_ancestors(&self, meta: &ObjectMeta, verdict: &Verdict) {
        let key = key_of::<C>(meta);
        let index = &self.shared.router.index;
        let first = index::controller_of(meta, &key.namespace);
        let ancestors = std::iter::successors(first, |owner| index.child(owner.key())?.owner);
        // What another program made of ours is none of its objects' business.
        for owner in ancestors.take_while(|owner| owner.key().group == self.resource.group).take(GENERATIONS)
        {
            let whole = owner.key();
            let about = ObjectReference {
                api_version: Some(self.resource.api_version.clone()),
                kind: Some(whole.kind.clone()),
                namespace: Some(whole.namespace.clone()),
                name: Some(whole.name.clone()),
                uid: owner.controller().map(str::to_owned),
                ..ObjectReference::default()
            };
            self.shared.events.tell_of_part(about, &key, verdict);
        }
    }

    /// Says that nothing is done because the user asked for that.
    pub(crate) async fn report_pause(
        &self,
        owner: &DeserializeGuard<C::Owner>,
        session: &mut Session,
    ) -> Result<Option<Duration>, Failure> {
        let stored = stored::<C>(owner);
        let previous = status::previous(&stored, session.written.as_ref());
        let message = format!("the annotation {PAUSE_ANNOTATION} is set; remove it to resume");
        let common = plan::paused(&self.input(owner.meta(), &previous.common), &message);
        if common != previous.common {
            self.write(owner.meta(), session, Status { common, ..previous }).await?;
        }
        Ok(None)
    }

    fn input<'a>(&self, meta: &ObjectMeta, previous: &'a ComponentStatus) -> StatusInput<'a> {
        StatusInput {
            previous,
            generation: meta.generation,
            operator: status::operator(C::NAME),
            at: (self.shared.clock)(),
            replicas: None,
            reached: Reached::Nothing,
            aspects: C::ASPECTS,
            found: None,
            advice: &[],
        }
    }

    async fn write(&self, meta: &ObjectMeta, session: &mut Session, status: Status) -> Result<(), Failure> {
        let key = key_of::<C>(meta);
        session.written =
            status::write(&self.shared.client, &self.resource, &key, &self.manager, status).await?;
        session.written_at = Some(Instant::now());
        Ok(())
    }
}
