//! The custom resource definitions a cluster installs.

use crate::v1beta1::Core;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// Every definition, ordered by name.
pub fn all() -> Vec<CustomResourceDefinition> {
    vec![Core::crd()]
}
