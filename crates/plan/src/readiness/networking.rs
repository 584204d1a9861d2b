use crate::Manifest;
use api::thirdparty::monitoring::ServiceMonitor;
use k8s_openapi::api::{
    autoscaling::v2::HorizontalPodAutoscaler,
    networking::v1::{Ingress, NetworkPolicy},
    policy::v1::PodDisruptionBudget,
};

impl Manifest for NetworkPolicy {}
impl Manifest for PodDisruptionBudget {}

/// Ready by existing: without metrics it scales nothing, and Harbor runs all the same.
impl Manifest for HorizontalPodAutoscaler {}

/// Ready by existing: many ingress controllers never write an address.
impl Manifest for Ingress {}

/// Ready by existing: Prometheus reports nothing back.
impl Manifest for ServiceMonitor {
    const PROVIDER: &'static str = "the Prometheus operator";
}
