//! The autoscaler and the disruption budget of a component.

use super::instance::Instance;
use api::v1beta1::{
    availability::{self as requested, AutoscalingSpec},
    component::ComponentSpec,
};
use k8s_openapi::{
    api::{
        autoscaling::v2::{
            CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec,
            MetricTarget, ResourceMetricSource,
        },
        core::v1::ResourceRequirements,
        policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec},
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use plan::{All, Builder, Children, PlanError};
use std::fmt;

/// The kinds that [`Availability::add`] may add.
pub(crate) fn availability_children(children: Children) -> Children {
    children.and::<PodDisruptionBudget>().and::<HorizontalPodAutoscaler>()
}

/// Adds those that the user requests; see [`Availability::add`].
pub(crate) fn add_availability(graph: &mut Builder<'_>, instance: &Instance<'_>) {
    Availability::of(instance).add(graph);
}

/// The disruption budget and the autoscaler that the user requests.
pub(crate) struct Availability {
    budget: Option<PodDisruptionBudget>,
    autoscaler: Option<HorizontalPodAutoscaler>,
}

impl Availability {
    /// Those of the pods of an instance.
    pub fn of(instance: &Instance<'_>) -> Self {
        Self { budget: budget(instance), autoscaler: autoscaler(instance) }
    }

    /// Adds them. They wait for nothing: both may exist before the pods do.
    pub fn add(self, graph: &mut Builder<'_>) {
        if let Some(budget) = self.budget {
            graph.add::<PodDisruptionBudget>(budget, ());
        }
        if let Some(autoscaler) = self.autoscaler {
            graph.add::<HorizontalPodAutoscaler>(autoscaler, ());
        }
    }
}

fn budget(instance: &Instance<'_>) -> Option<PodDisruptionBudget> {
    let requested::PodDisruptionBudgetSpec { min_available, max_unavailable } =
        instance.spec.pod_disruption_budget.clone()?;
    Some(PodDisruptionBudget {
        metadata: instance.own_metadata(),
        spec: Some(PodDisruptionBudgetSpec {
            min_available,
            max_unavailable,
            selector: Some(LabelSelector {
                match_labels: Some(instance.selector()),
                match_expressions: None,
            }),
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    })
}

/// Refuses an autoscaler that could never scale: it compares the usage of containers with their requests, so
/// every container must request the resource. `pods` has the autoscaler, and `field` is where `container` is
/// described.
pub(crate) fn check_autoscaling(
    pods: &ComponentSpec,
    container: &ComponentSpec,
    field: impl fmt::Display,
) -> Result<(), PlanError> {
    let unmeasured = |(resource, _): (&str, i32)| {
        let field = |path: String| format!("{field}.{path}resources.requests.{resource}");
        let own = (!requests(container.resources.as_ref(), resource)).then(|| field(String::new()));
        let beside = container.init_containers.iter().enumerate().filter(|(_, it)| {
            // Init containers that end before the others start are not measured.
            it.restart_policy.as_deref() == Some("Always") && !requests(it.resources.as_ref(), resource)
        });
        let beside = beside.map(|(number, _)| field(format!("initContainers[{number}].")));
        let refused = |field: String| {
            Err(PlanError::invalid(
                field,
                format!("is not set, but autoscaling measures the {resource} of every container against it"),
                "set it, or remove autoscaling",
            ))
        };
        own.into_iter().chain(beside).map(refused).collect::<Vec<Result<(), _>>>()
    };
    let targets = pods.autoscaling.iter().flat_map(targets);
    targets.flat_map(unmeasured).collect::<Vec<_>>().all().map(drop)
}

/// Whether a container requests a resource. Kubernetes sets a missing request to the limit.
fn requests(resources: Option<&ResourceRequirements>, resource: &str) -> bool {
    let lists = resources.into_iter().flat_map(|it| [&it.requests, &it.limits]);
    lists.flatten().any(|list| list.contains_key(resource))
}

/// The resources that an autoscaler measures, and their target utilization in percent.
fn targets(requested: &AutoscalingSpec) -> impl Iterator<Item = (&'static str, i32)> {
    const DEFAULT_CPU: i32 = 80;
    let memory = requested.target_memory_utilization_percentage;
    let cpu = requested.target_cpu_utilization_percentage.or_else(|| memory.is_none().then_some(DEFAULT_CPU));
    [("cpu", cpu), ("memory", memory)].into_iter().filter_map(|(resource, aim)| Some((resource, aim?)))
}

fn autoscaler(instance: &Instance<'_>) -> Option<HorizontalPodAutoscaler> {
    let requested = instance.spec.autoscaling.as_ref()?;
    let AutoscalingSpec {
        min_replicas,
        max_replicas,
        // In `targets`.
        target_cpu_utilization_percentage: _,
        target_memory_utilization_percentage: _,
    } = requested;
    Some(HorizontalPodAutoscaler {
        metadata: instance.own_metadata(),
        spec: Some(HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: Some("apps/v1".into()),
                kind: "Deployment".into(),
                name: instance.name.to_string(),
            },
            min_replicas: *min_replicas,
            max_replicas: *max_replicas,
            metrics: Some(targets(requested).map(|(resource, aim)| metric(resource, aim)).collect()),
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

#[cfg(test)]
mod tests {
    use crate::{cases::Case, core::Core, registry::Registry};
    use plan::Component;
    use serde_json::{Value, json};

    const REMEDY: &str = "set it, or remove autoscaling";

    fn problem(field: &str, resource: &str) -> String {
        format!(
            "{field}.resources.requests.{resource}: is not set, but autoscaling measures the {resource} of every \
             container against it; {REMEDY}"
        )
    }

    fn a_core(autoscaling: Value, resources: Value) -> Case<Core> {
        Case::golden("minimal").set("/spec/autoscaling", autoscaling).set("/spec/resources", resources)
    }

    #[test]
    fn what_an_autoscaler_measures_must_be_requested() {
        let cpu = || json!({"maxReplicas": 3});
        let both = || json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 70, "targetMemoryUtilizationPercentage": 70});
        let memory = || json!({"requests": {"memory": "1Gi"}});
        assert_eq!(a_core(cpu(), json!({})).error(), problem("spec", "cpu"));
        assert_eq!(a_core(cpu(), memory()).error(), problem("spec", "cpu"));
        assert_eq!(a_core(both(), memory()).error(), problem("spec", "cpu"));
        assert_eq!(
            a_core(both(), json!({})).error(),
            [problem("spec", "cpu"), problem("spec", "memory")].join(", ")
        );
        assert_eq!(a_core(cpu(), json!({"requests": {"cpu": "1"}})).plan().err(), None);
        assert_eq!(a_core(cpu(), json!({"limits": {"cpu": "1"}})).plan().err(), None, "so much is requested");
        assert_eq!(Case::<Core>::golden("minimal").plan().err(), None, "nothing is measured");
    }

    #[test]
    fn init_containers_are_measured_where_they_go_on_running() {
        let beside = |policy: Value| {
            let container = json!({"name": "beside", "image": "example.com/beside", "restartPolicy": policy});
            a_core(json!({"maxReplicas": 3}), json!({"requests": {"cpu": "1"}}))
                .set("/spec/initContainers", json!([container]))
        };
        assert_eq!(beside(Value::Null).plan().err(), None);
        assert_eq!(beside(json!("Always")).error(), problem("spec.initContainers[0]", "cpu"));
    }

    #[test]
    fn the_controller_beside_a_registry_is_measured_too() {
        let mut case = Case::<Registry>::golden("minimal")
            .set("/spec/autoscaling", json!({"maxReplicas": 1}))
            .set("/spec/resources", json!({"requests": {"cpu": "1"}}));
        assert_eq!(case.error(), problem("RegistryController registry/harbor, spec", "cpu"));
        for input in case.inputs.iter_mut().filter(|input| input["kind"] == "RegistryController") {
            input["spec"]["resources"] = json!({"requests": {"cpu": "10m"}});
        }
        assert_eq!(case.plan().err(), None);
    }

    fn left_to_others<C: Component>(case: &Case<C>) -> Vec<&'static str> {
        let plan = case.plan().unwrap();
        let found = plan.graph.iter().find(|(_, desired, _)| desired.object.key().kind == "Deployment");
        found.unwrap().1.left_to_others.to_vec()
    }

    #[test]
    fn the_number_of_pods_is_left_to_an_autoscaler_where_there_is_one() {
        let scaled = a_core(json!({"maxReplicas": 3}), json!({"requests": {"cpu": "1"}}));
        assert_eq!(left_to_others(&scaled), ["spec.replicas"]);
        assert_eq!(left_to_others(&Case::<Core>::golden("minimal")), [""; 0]);
    }
}
