//! How many pods there are and how many may be missing: autoscaler and disruption budget of a component.

use crate::instance::Instance;
use k8s_openapi::{
    api::{
        autoscaling::v2::{
            CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec,
            MetricTarget, ResourceMetricSource,
        },
        policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec},
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use plan::{Builder, Children};

/// The kinds [`add`] may add.
pub(crate) fn children(children: Children) -> Children {
    children.and::<PodDisruptionBudget>().and::<HorizontalPodAutoscaler>()
}

/// Adds what the user wants of these. They need not wait: both are about pods that may not exist yet.
pub(crate) fn add(graph: &mut Builder<'_>, instance: &Instance<'_>) {
    if let Some(budget) = budget(instance) {
        graph.add::<PodDisruptionBudget>(budget, ());
    }
    if let Some(autoscaler) = autoscaler(instance) {
        graph.add::<HorizontalPodAutoscaler>(autoscaler, ());
    }
}

fn budget(instance: &Instance<'_>) -> Option<PodDisruptionBudget> {
    let wished = instance.spec.pod_disruption_budget.as_ref()?;
    Some(PodDisruptionBudget {
        metadata: instance.own_metadata(),
        spec: Some(PodDisruptionBudgetSpec {
            min_available: wished.min_available.clone(),
            max_unavailable: wished.max_unavailable.clone(),
            selector: Some(LabelSelector {
                match_labels: Some(instance.selector()),
                match_expressions: None,
            }),
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    })
}

fn autoscaler(instance: &Instance<'_>) -> Option<HorizontalPodAutoscaler> {
    const USUAL_CPU: i32 = 80;
    let wished = instance.spec.autoscaling.as_ref()?;
    let memory = wished.target_memory_utilization_percentage;
    let cpu = wished.target_cpu_utilization_percentage.or_else(|| memory.is_none().then_some(USUAL_CPU));
    let metrics = [("cpu", cpu), ("memory", memory)];
    Some(HorizontalPodAutoscaler {
        metadata: instance.own_metadata(),
        spec: Some(HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: Some("apps/v1".into()),
                kind: "Deployment".into(),
                name: instance.name.to_string(),
            },
            min_replicas: wished.min_replicas,
            max_replicas: wished.max_replicas,
            metrics: Some(metrics.into_iter().filter_map(|(name, use_)| Some(metric(name, use_?))).collect()),
            ..HorizontalPodAutoscalerSpec::default()
        }),
        status: None,
    })
}

fn metric(resource: &str, utilization: i32) -> MetricSpec {
    MetricSpec {
        type_: "Resource".into(),
        resource: Some(ResourceMetricSource {
            name: resource.into(),
            target: MetricTarget {
                type_: "Utilization".into(),
                average_utilization: Some(utilization),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}
