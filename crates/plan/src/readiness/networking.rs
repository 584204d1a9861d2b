use crate::Manifest;
use k8s_openapi::api::{
    networking::v1::{Ingress, NetworkPolicy},
    policy::v1::PodDisruptionBudget,
};

impl Manifest for NetworkPolicy {}
impl Manifest for PodDisruptionBudget {}

/// Ready by existing: many ingress controllers never write an address.
impl Manifest for Ingress {}
