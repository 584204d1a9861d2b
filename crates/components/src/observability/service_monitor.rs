//! The ServiceMonitor of a component's metrics, for the Prometheus operator.

use super::metrics;
use crate::pods::Instance;
use api::{
    thirdparty::monitoring::{MonitorEndpoint, Relabeling, ServiceMonitor, ServiceMonitorSpec},
    v1beta1::{
        metrics::MetricsSpec,
        service_monitor::{self as requested, RelabelingSpec},
    },
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::ObjectMeta;
use plan::{Builder, PlanError, World};

/// A ServiceMonitor that the user requests and the API server serves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Monitor<'a> {
    spec: &'a requested::ServiceMonitorSpec,
    path: &'a str,
}

impl<'a> Monitor<'a> {
    /// The ServiceMonitor that a spec requests, for metrics under `path`. Refused if the Prometheus operator is
    /// not installed.
    pub fn of(
        spec: Option<&'a requested::ServiceMonitorSpec>,
        path: &'a str,
        world: &World<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let Some(spec) = spec else { return Ok(None) };
        if !world.serves::<ServiceMonitor>()? {
            return Err(PlanError::unserved::<ServiceMonitor>(
                "the Prometheus operator, or remove serviceMonitor",
            ));
        }
        Ok(Some(Self { spec, path }))
    }

    /// The ServiceMonitor of a component's metrics, if they are enabled.
    pub fn of_metrics(
        metrics: Option<&'a MetricsSpec>,
        world: &World<'_>,
    ) -> Result<Option<Self>, PlanError> {
        match metrics.filter(|metrics| metrics.enabled) {
            Some(metrics) => Self::of(metrics.service_monitor.as_ref(), &metrics.path, world),
            None => Ok(None),
        }
    }

    /// Adds the ServiceMonitor.
    pub fn add(self, graph: &mut Builder<'_>, instance: &Instance<'_>) {
        graph.add::<ServiceMonitor>(self.service_monitor(instance), ());
    }

    /// The ServiceMonitor selects the Service by the labels of every child, and its port by name.
    fn service_monitor(self, instance: &Instance<'_>) -> ServiceMonitor {
        let Self { spec, path } = self;
        let requested::ServiceMonitorSpec {
            labels,
            interval,
            honor_labels,
            job_label,
            relabelings,
            metric_relabelings,
        } = spec.clone();
        ServiceMonitor {
            metadata: ObjectMeta {
                labels: Some(labels).filter(|labels| !labels.is_empty()),
                ..instance.own_metadata()
            },
            spec: ServiceMonitorSpec {
                selector: LabelSelector {
                    match_labels: Some(instance.child_labels()),
                    match_expressions: None,
                },
                endpoints: vec![MonitorEndpoint {
                    port: Some(metrics::METRICS_PORT.into()),
                    path: Some(path.into()),
                    interval: interval.map(|interval| interval.as_str().to_owned()),
                    honor_labels,
                    relabelings: relabelings.into_iter().map(relabeling).collect(),
                    metric_relabelings: metric_relabelings.into_iter().map(relabeling).collect(),
                    ..MonitorEndpoint::default()
                }],
                job_label,
            },
        }
    }
}

fn relabeling(spec: RelabelingSpec) -> Relabeling {
    let RelabelingSpec { action, source_labels, separator, target_label, regex, modulus, replacement } = spec;
    Relabeling { action, source_labels, separator, regex, modulus, target_label, replacement }
}
