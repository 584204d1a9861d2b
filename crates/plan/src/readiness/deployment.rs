use super::{Reached, Readiness, replicas, shortened, unobserved};
use crate::{Manifest, Observe};
use api::names::STOPPED_ANNOTATION;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::PodTemplateSpec};

impl Manifest for Deployment {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let Some(status) = &self.status else { return Readiness::Progressing("no status yet".into()) };
        if let Some(not_yet) = unobserved(self.metadata.generation, status.observed_generation) {
            return not_yet;
        }
        let condition = |kind: &str| status.conditions.iter().flatten().find(|c| c.type_ == kind);
        let deadline =
            condition("Progressing").filter(|c| c.reason.as_deref() == Some("ProgressDeadlineExceeded"));
        // It names the reason why pods are not created, such as Pod Security; the deadline only states that they are
        // not.
        let refused = condition("ReplicaFailure").filter(|c| c.status == "True");
        if let Some(failure) = refused.or(deadline) {
            let message = failure.message.as_ref().or(failure.reason.as_ref());
            return Readiness::Failed(message.map_or_else(String::new, |message| shortened(message)));
        }
        let wanted = self.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
        let (total, updated, available) = (
            status.replicas.unwrap_or(0),
            status.updated_replicas.unwrap_or(0),
            status.available_replicas.unwrap_or(0),
        );
        if updated < wanted {
            return replicas(updated, wanted, "updated");
        }
        if total > updated {
            return Readiness::Progressing(format!(
                "{} old replicas still terminating",
                total.saturating_sub(updated)
            ));
        }
        if available < wanted {
            return replicas(available, wanted, "available");
        }
        self.stopped().map_or(Readiness::Ready, Readiness::Progressing)
    }

    /// The status does not count the available replicas of the new revision. If more replicas are available than
    /// there are old replicas, at least one new replica is available. A Deployment that a user has scaled to zero is
    /// available, but never current: it serves as much as it should. One that the operator has stopped is not.
    fn reached(&self, readiness: &Readiness) -> Reached {
        let Some(status) = &self.status else { return Reached::Nothing };
        let available = status.available_replicas.unwrap_or(0);
        let old = status.replicas.unwrap_or(0).saturating_sub(status.updated_replicas.unwrap_or(0));
        let observed = unobserved(self.metadata.generation, status.observed_generation).is_none();
        match readiness {
            Readiness::Ready if available > 0 => Reached::Ready,
            _ if observed && available > old => Reached::Current,
            Readiness::Ready => Reached::Available,
            _ if available > 0 => Reached::Available,
            _ => Reached::Nothing,
        }
    }

    fn stopped(&self) -> Option<String> {
        let is_empty = self.spec.as_ref().is_some_and(|spec| spec.replicas == Some(0));
        self.metadata.annotations.as_ref().filter(|_| is_empty)?.get(STOPPED_ANNOTATION).cloned()
    }

    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }
}
