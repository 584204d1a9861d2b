//! Ensures that one object outside the cluster exists as desired.

use super::{Age, Externals, externals::Listed};
use crate::{
    ReconcileError,
    apply::{Applier, DigestSource, Done},
    error::Verb,
    report::ChangeKind,
};
use graph::{NodeId, Step};
use kube::core::DynamicObject;
use plan::{
    Action, Applied, Claim, Connection, Desired, Digest, External, Gate, ObjectKey, Origin, Reached,
    Readiness, Refusal, SystemError,
};
use progress::State;
use std::sync::Arc;

/// An object outside the cluster that is to be ensured.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    key: &'a ObjectKey,
    desired: &'a Desired,
    external: &'a External,
    /// Digest of the write-only fields, if there are any.
    digest: Option<Digest>,
}

impl Wanted<'_> {
    /// What is recorded of the object.
    fn claim(&self, origin: Origin, written: Option<Digest>) -> Claim {
        let External { contents, .. } = *self.external;
        let fields = self.external.claimed_fields();
        Claim { origin, deletion: self.desired.deletion, contents, written, fields }
    }
}

impl Externals<'_> {
    /// Sends what differs from what the system has, as far as the gate permits, and answers whether the object is as desired.
    pub(crate) async fn ensure(
        &self,
        applier: &Applier<'_>,
        desired: &Desired,
        external: &External,
        gate: Gate<NodeId>,
    ) -> Result<Step, ReconcileError> {
        let key = external.key();
        let request = self.cluster.owners.comparison_request(self.owner);
        let digest = digest(applier, external, request.as_deref())?;
        let wanted = Wanted { key: &key, desired, external, digest };
        let step = async {
            let _turn = self.systems.turns.take(&key).await;
            let step = self.step(applier, wanted, gate).await;
            step.map_err(|error| error.about(external.described_by))
        };
        applier.reported(&key, step).await
    }

    async fn step(
        &self,
        applier: &Applier<'_>,
        wanted: Wanted<'_>,
        gate: Gate<NodeId>,
    ) -> Result<Step, ReconcileError> {
        let Wanted { key, desired, external, digest } = wanted;
        let claim = self.recorder.claim(key);
        let resolver = applier.resolver();
        let decided = self.decide(&resolver, (desired, external), (gate, digest), Age::Fresh);
        let (action, listed) = decided.await?;
        let claimed = |origin| wanted.claim(origin, digest);
        let origin = claim.as_ref().map_or(Origin::Adopted, |claim| claim.origin);
        let mut answer = None;
        let mut held = None;
        match (action, &listed) {
            (Action::Blocked { by }, _) => return Ok(Step::Blocked { by }),
            (Action::Hold, Some(_)) => {}
            (Action::Nothing, Some(_)) => self.recorder.add(key, claimed(origin)).await?,
            (Action::Create, Some(Listed { connection, .. })) => {
                let object = self.create(applier, wanted, connection, claim).await?;
                self.recorder.add(key, claimed(Origin::Created)).await?;
                answer = Some(object);
            }
            (Action::Update { fields }, Some(Listed { connection, object: Some(actual) })) => {
                if !applier.state().repairs.allow(key, applier.now) {
                    return Err(ReconcileError::Contended { object: key.clone() });
                }
                applier.progress.child(self.owner, key, || State::Applying);
                match self.systems.update(self.owner, connection, external, &actual.data).await {
                    Ok(object) => {
                        tracing::info!(object = %key, ?fields, "updated, outside the cluster");
                        self.recorder.add(key, claimed(origin)).await?;
                        if let Some(announcement) = &external.announcement {
                            applier.state().changed_child(key, ChangeKind::Announced(announcement.clone()));
                        }
                        answer = Some(object);
                    }
                    // What was ready before still is.
                    Err(error @ SystemError::ReadOnly(_)) => {
                        held = Some(self.systems.failed(Verb::Update, key, error).to_string());
                    }
                    Err(error) => return Err(self.systems.failed_on(Verb::Update, key, fields, error)),
                }
            }
            (Action::Refuse(refusal), _) => {
                self.give_up(key, claim, &refusal).await?;
                return Err(ReconcileError::refused_outside(key, external, refusal));
            }
            (action, _) => {
                return Err(ReconcileError::Bug(format!("{key} is outside the cluster: {action:?}")));
            }
        }
        if answer.is_some() {
            applier.state().written = Some(applier.now);
        }
        let is_answer = answer.is_some();
        if let Some(object) = answer.or_else(|| listed?.object) {
            applier.state().external.insert(key.clone(), Arc::clone(&object));
            if let Some(waiting) = is_answer.then(|| self.written(wanted, &object)).flatten() {
                return Ok(waiting);
            }
            match (external.readiness)(&object.data) {
                Readiness::Ready => {}
                Readiness::Progressing(why) => return Ok(Step::Waiting(why)),
                Readiness::Failed(words) => {
                    return Err(ReconcileError::ChildFailed { object: key.clone(), words });
                }
            }
        }
        let done = Done::all_permitted(gate, held.as_ref());
        applier.state().left(key, Applied::External { written: digest }, done, Reached::Ready);
        Ok(held.map_or(Step::Ready, Step::Usable))
    }

    /// Records that the operator creates an object, and creates it. Only that order leaves nothing behind that no owner knows.
    async fn create(
        &self,
        applier: &Applier<'_>,
        wanted: Wanted<'_>,
        connection: &Connection,
        before: Option<Claim>,
    ) -> Result<Arc<DynamicObject>, ReconcileError> {
        let Wanted { key, external, .. } = wanted;
        self.recorder.add(key, wanted.claim(Origin::Created, None)).await?;
        applier.progress.child(self.owner, key, || State::Applying);
        let error = match self.systems.create(self.owner, connection, external).await {
            Ok(object) => {
                tracing::info!(object = %key, "created, outside the cluster");
                return Ok(object);
            }
            Err(error) => error,
        };
        self.systems.expire(key);
        // Unless it is unknown whether the object was created: what exists now is of another program.
        if before.is_none() && !matches!(error, SystemError::Unreachable(_)) {
            self.recorder.forget([key]).await?;
        }
        Err(self.systems.failed(Verb::Create, key, error))
    }

    /// Records that another owner has an object from now on.
    async fn give_up(
        &self,
        key: &ObjectKey,
        claim: Option<Claim>,
        refusal: &Refusal,
    ) -> Result<(), ReconcileError> {
        match (refusal, claim) {
            // Deleting this owner must not change the object.
            (Refusal::ClaimedAsPart(_), Some(_)) => self.recorder.forget([key]).await,
            // The older owner sends its own write-only fields. This one sends them again when it gets the object back.
            (Refusal::Claimed { fields, .. }, Some(claim)) if fields.is_empty() => {
                self.recorder.add(key, Claim { written: None, ..claim }).await
            }
            _ => Ok(()),
        }
    }

    /// Remembers what a write was answered with; what the object waits for, if that is not as desired.
    fn written(&self, wanted: Wanted<'_>, object: &DynamicObject) -> Option<Step> {
        let Wanted { key, external, .. } = wanted;
        self.note(key, Some(object));
        let fields = external.differences(&object.data);
        let system = || self.systems.describe(&external.system);
        let why = || format!("was written, and {} does not show it yet: {}", system(), fields.join(", "));
        (!fields.is_empty()).then(|| Step::Waiting(why()))
    }
}

/// Digest of the write-only fields of an object. Equal values of two objects have different ones, and so do equal values
/// before and after a user asked for a comparison: nothing shows whether the system still has what was sent, such as after it
/// was restored from a backup, so it is sent again.
fn digest(
    applier: &Applier<'_>,
    external: &External,
    request: Option<&str>,
) -> Result<Option<Digest>, ReconcileError> {
    let DigestSource::Key(digest_key) = applier.digest_source else { return Ok(None) };
    if external.write_only.is_empty() {
        return Ok(None);
    }
    let key = external.key();
    let digest = match request {
        None => digest_key.digest(&(&key.group, &key.kind, &key.name, &external.write_only)),
        Some(request) => {
            digest_key.digest(&(&key.group, &key.kind, &key.name, &external.write_only, request))
        }
    };
    digest.map(Some).map_err(|error| ReconcileError::Bug(error.to_string()))
}
