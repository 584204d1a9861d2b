//! The custom resource definitions a cluster installs.

use crate::v1beta1;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// Every definition, ordered by name.
pub fn all() -> Vec<CustomResourceDefinition> {
    let mut all = vec![
        v1beta1::ChartMuseum::crd(),
        v1beta1::Core::crd(),
        v1beta1::Exporter::crd(),
        v1beta1::Harbor::crd(),
        v1beta1::HarborCluster::crd(),
        v1beta1::HarborConfiguration::crd(),
        v1beta1::HarborProject::crd(),
        v1beta1::HarborServerConfiguration::crd(),
        v1beta1::JobService::crd(),
        v1beta1::NotaryServer::crd(),
        v1beta1::NotarySigner::crd(),
        v1beta1::Portal::crd(),
        v1beta1::PullSecretBinding::crd(),
        v1beta1::Registry::crd(),
        v1beta1::RegistryController::crd(),
        v1beta1::Trivy::crd(),
    ];
    all.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    all
}
