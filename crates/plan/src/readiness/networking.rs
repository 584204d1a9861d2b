use crate::Manifest;
use k8s_openapi::api::{
    autoscaling::v2::HorizontalPodAutoscaler,
    networking::v1::{Ingress, NetworkPolicy},
    policy::v1::PodDisruptionBudget,
};

impl Manifest for NetworkPolicy {}
impl Manifest for PodDisruptionBudget {}

/// Ready by existing: without metrics it does nothing, and the pods are there all the same.
impl Manifest for HorizontalPodAutoscaler {}

/// Ready by existing: many ingress controllers never write an address.
impl Manifest for Ingress {}
