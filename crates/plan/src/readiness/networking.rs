use crate::Manifest;
use api::thirdparty::monitoring::ServiceMonitor;
use k8s_openapi::api::{
    autoscaling::v2::HorizontalPodAutoscaler,
    networking::v1::{Ingress, NetworkPolicy},
    policy::v1::PodDisruptionBudget,
};

impl Manifest for NetworkPolicy {}
impl Manifest for PodDisruptionBudget {}

/// Ready when it exists: without metrics it does not scale, but Harbor runs.
impl Manifest for HorizontalPodAutoscaler {}

/// Ready when it exists: many ingress controllers never write an address.
impl Manifest for Ingress {}

/// Ready when it exists: Prometheus does not write a status.
impl Manifest for ServiceMonitor {
    const PROVIDER: &'static str = "the Prometheus operator";
}
