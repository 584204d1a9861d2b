use super::Readiness;
use crate::{Manifest, Observe};
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Secret, Service, ServiceAccount};

impl Manifest for ConfigMap {}
impl Manifest for Secret {}
impl Manifest for Service {}
impl Manifest for ServiceAccount {}

/// A pending claim is ready: with `WaitForFirstConsumer` it binds only once a pod uses it.
impl Manifest for PersistentVolumeClaim {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        match self.status.as_ref().and_then(|status| status.phase.as_deref()) {
            Some("Lost") => Readiness::Failed("has lost its volume".into()),
            _ => Readiness::Ready,
        }
    }
}
