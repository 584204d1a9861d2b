//! What every component's pods have in common.

use super::{
    availability::{AutoscalingSpec, PodDisruptionBudgetSpec},
    image::ImageSpec,
    pod_fields,
    probes::ProbesSpec,
};
use k8s_openapi::api::core::v1::{
    Affinity, Container, EnvVar, ResourceRequirements, Toleration, TopologySpreadConstraint,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pod settings of a component, inlined into its spec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSpec {
    /// The image.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Annotations added to the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub template_annotations: BTreeMap<String, String>,

    /// Labels added to the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub template_labels: BTreeMap<String, String>,

    /// Number of pods. Leave it out to let an autoscaler decide; Kubernetes then starts with 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub replicas: Option<i32>,

    /// ServiceAccount the pods run as. The namespace's `default` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,

    /// Labels a node must carry to run the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,

    /// Node taints the pods tolerate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,

    /// Compute resources of each container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Which nodes and which other pods the pods want to be near to, or far from; as in a pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "pod_fields::object")]
    pub affinity: Option<Affinity>,

    /// How the pods are spread over zones and nodes; as in a pod. A constraint without `labelSelector` counts the
    /// component's own pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "pod_fields::objects")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,

    /// PriorityClass of the pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,

    /// Environment variables added to the container. One the operator sets too is replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "pod_fields::variables")]
    pub extra_env: Vec<EnvVar>,

    /// Containers that run to their end before the component starts; as in a pod. They may mount its volumes. They run as
    /// the component does, without privileges and not as root; others are refused unless the operator runs with
    /// `--allow-privileged-pods`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "pod_fields::objects")]
    pub init_containers: Vec<Container>,

    /// How many pods may be taken away at once, for example when nodes are drained. Unlimited unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_disruption_budget: Option<PodDisruptionBudgetSpec>,

    /// Lets an autoscaler choose the number of pods; `replicas` must not be set then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<AutoscalingSpec>,

    /// How many old versions of the pods are kept for a rollback. 10 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub revision_history_limit: Option<i32>,

    /// Times of the probes, where those the operator chose do not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<ProbesSpec>,
}

/// Annotations of a component's Service, inlined into the specs of those that users reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAnnotations {
    /// Annotations added to the Service; they win over those the operator sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub service_annotations: BTreeMap<String, String>,
}

/// How pods are replaced unless set: a few at a time.
pub(crate) fn rolling_update() -> String {
    "RollingUpdate".to_owned()
}
