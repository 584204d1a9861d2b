//! The operator's own kinds, as children of each other.

use super::{Health, Reached, Readiness, unobserved};
use crate::{
    Manifest, Observe,
    status::{AVAILABLE, STOPPED},
};
use api::v1beta1::{
    ChartMuseum, ComponentStatus, Condition, Core, Exporter, Harbor, HarborCluster, HarborProject,
    HarborRegistryEndpoint, HarborReplication, HarborRobot, JobService, NotaryServer, NotarySigner, Portal,
    PullSecretBinding, Registry, RegistryController, Trivy, status::Observation,
};

/// The part of a status that tells about readiness.
#[derive(Clone, Copy)]
struct Reported<'a> {
    observed_generation: Option<i64>,
    conditions: &'a [Condition],
}

impl<'a> From<&'a ComponentStatus> for Reported<'a> {
    fn from(status: &'a ComponentStatus) -> Self {
        Self { observed_generation: status.observed_generation, conditions: &status.conditions }
    }
}

impl<'a> From<&'a Observation> for Reported<'a> {
    fn from(status: &'a Observation) -> Self {
        Self { observed_generation: status.observed_generation, conditions: &status.conditions }
    }
}

/// Kinds that are children. The expression is the part of their status that every kind has.
macro_rules! children {
    ($status:ident => $reported:expr; $($kind:ty),+) => { $(
        impl Manifest for $kind {
            const OBSERVE: Observe = Observe::Status;

            fn readiness(&self) -> Readiness {
                by_status(self.metadata.generation, self.status.as_ref().map(|$status| $reported.into()))
            }

            fn reached(&self, readiness: &Readiness) -> Reached {
                by_availability(readiness, self.status.as_ref().map(|$status| $reported.into()))
            }

            fn stopped(&self) -> Option<String> {
                stopped(self.status.as_ref().map(|$status| $reported.into()))
            }
        }
    )+ };
}

children!(status => status;
    ChartMuseum,
    Core,
    Exporter,
    JobService,
    NotaryServer,
    NotarySigner,
    Portal,
    Registry,
    RegistryController,
    Trivy
);

children!(status => &status.common; Harbor);

children!(status => &status.observation; HarborProject, HarborRobot, PullSecretBinding);

/// Kinds that are never children; components only read them.
macro_rules! read_only {
    ($($kind:ty),+) => { $(
        impl Manifest for $kind {}
    )+ };
}

read_only!(HarborCluster, HarborRegistryEndpoint, HarborReplication);

impl Health {
    /// The health of an object of any of the operator's own kinds, according to its conditions.
    pub fn by_conditions(object: serde_json::Value) -> serde_json::Result<Self> {
        let generation = object["metadata"]["generation"].as_i64();
        let status: Option<ComponentStatus> = match object.get("status") {
            Some(status) => serde_json::from_value(status.clone())?,
            None => None,
        };
        let reported = status.as_ref().map(Reported::from);
        let readiness = by_status(generation, reported);
        let reached = by_availability(&readiness, reported);
        Ok(Self::new(readiness, reached, stopped(reported)))
    }
}

/// The condition `Available` does not depend on the newest spec, so its observed generation is ignored.
fn by_availability(readiness: &Readiness, status: Option<Reported<'_>>) -> Reached {
    let mut conditions = status.iter().flat_map(|status| status.conditions);
    match readiness {
        Readiness::Ready => Reached::Ready,
        _ if conditions.any(|it| it.type_ == AVAILABLE && it.status == "True") => Reached::Available,
        _ => Reached::Nothing,
    }
}

/// The message of the condition `Available` while it says that the operator keeps a workload stopped.
fn stopped(status: Option<Reported<'_>>) -> Option<String> {
    let mut conditions = status.iter().flat_map(|status| status.conditions);
    let available = conditions.find(|it| it.type_ == AVAILABLE && it.reason.as_deref() == Some(STOPPED))?;
    Some(available.message.clone().unwrap_or_default())
}

/// Ready when the `Ready` condition is true for the newest spec, failed when `Stalled` is.
///
/// An object of the old operator has no `Ready` condition: it is not ready before its first reconcile.
fn by_status(generation: Option<i64>, status: Option<Reported<'_>>) -> Readiness {
    let Some(status) = status else { return Readiness::Progressing("no status yet".into()) };
    if let Some(not_yet) = unobserved(generation, status.observed_generation) {
        return not_yet;
    }
    let condition = |kind: &str| status.conditions.iter().find(|condition| condition.type_ == kind);
    let holds = |condition: &&Condition| condition.status == "True";
    let message_of = |condition: &Condition| condition.message.clone().unwrap_or_default();
    if let Some(stalled) = condition("Stalled").filter(holds) {
        return Readiness::Failed(message_of(stalled));
    }
    match condition("Ready") {
        Some(ready) if ready.status == "True" => Readiness::Ready,
        Some(ready) => Readiness::Progressing(message_of(ready)),
        None => Readiness::Progressing("has not reported Ready yet".into()),
    }
}
