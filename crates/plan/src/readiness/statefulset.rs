use super::{Reached, Readiness, replicas, unobserved};
use crate::{Manifest, Observe};
use k8s_openapi::api::{apps::v1::StatefulSet, core::v1::PodTemplateSpec};

impl Manifest for StatefulSet {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let Some(status) = &self.status else { return Readiness::Progressing("no status yet".into()) };
        if let Some(not_yet) = unobserved(self.metadata.generation, status.observed_generation) {
            return not_yet;
        }
        let spec = self.spec.as_ref();
        let wanted = spec.and_then(|spec| spec.replicas).unwrap_or(1);
        let ready = status.ready_replicas.unwrap_or(0);
        if ready < wanted {
            return replicas(ready, wanted, "ready");
        }
        let strategy = spec.and_then(|spec| spec.update_strategy.as_ref());
        if strategy.and_then(|strategy| strategy.type_.as_deref()) == Some("OnDelete") {
            return Readiness::Ready;
        }
        let partition = strategy
            .and_then(|s| s.rolling_update.as_ref())
            .and_then(|rolling| rolling.partition)
            .unwrap_or(0);
        let updated = status.updated_replicas.unwrap_or(0);
        let new = wanted.saturating_sub(partition);
        if updated < new {
            return replicas(updated, new, "updated");
        }
        if partition == 0 && status.current_revision != status.update_revision {
            return Readiness::Progressing("old replicas still terminating".into());
        }
        Readiness::Ready
    }

    fn reached(&self, readiness: &Readiness) -> Reached {
        let ready = self.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0);
        match readiness {
            Readiness::Ready => Reached::Ready,
            _ if ready > 0 => Reached::Available,
            _ => Reached::Nothing,
        }
    }

    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }
}
