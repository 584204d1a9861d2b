//! Disruption budgets and autoscalers.

use super::{
    AGE, About, NAME, Printer, column, each,
    reading::{created, int_or_string, list, name, number, quantity, shortened, text},
    words,
};
use serde_json::Value;

pub(super) const POD_DISRUPTION_BUDGETS: Printer = each(
    &[
        NAME,
        words("Min Available", About::Text("The minimum number of pods that must be available.")),
        words("Max Unavailable", About::Text("The maximum number of pods that may be unavailable.")),
        column(
            "Allowed Disruptions",
            "integer",
            About::Text("Calculated number of pods that may be disrupted at this time."),
        ),
        AGE,
    ],
    |object, now| {
        let bound = |pointer| int_or_string(object.pointer(pointer)).unwrap_or_else(|| "N/A".into());
        vec![
            name(object),
            bound("/spec/minAvailable").into(),
            bound("/spec/maxUnavailable").into(),
            number(object, "/status/disruptionsAllowed").into(),
            created(object, now),
        ]
    },
);

pub(super) const HORIZONTAL_POD_AUTOSCALERS: Printer = each(
    &[
        NAME,
        words("Reference", About::Field("api.autoscaling.v2.HorizontalPodAutoscalerSpec", "scaleTargetRef")),
        words("Targets", About::Field("api.autoscaling.v2.HorizontalPodAutoscalerSpec", "metrics")),
        words("MinPods", About::Field("api.autoscaling.v2.HorizontalPodAutoscalerSpec", "minReplicas")),
        words("MaxPods", About::Field("api.autoscaling.v2.HorizontalPodAutoscalerSpec", "maxReplicas")),
        words(
            "Replicas",
            About::Field("api.autoscaling.v2.HorizontalPodAutoscalerStatus", "currentReplicas"),
        ),
        AGE,
    ],
    |object, now| {
        let target = "/spec/scaleTargetRef";
        let reference = format!(
            "{}/{}",
            text(object, &format!("{target}/kind")),
            text(object, &format!("{target}/name"))
        );
        vec![
            name(object),
            reference.into(),
            targets(object).into(),
            int_or_string(object.pointer("/spec/minReplicas")).unwrap_or_else(|| "<unset>".into()).into(),
            number(object, "/spec/maxReplicas").into(),
            number(object, "/status/currentReplicas").into(),
            created(object, now),
        ]
    },
);

fn targets(autoscaler: &Value) -> String {
    if let Some(target) = autoscaler.pointer("/spec/targetCPUUtilizationPercentage").and_then(Value::as_i64) {
        let current = autoscaler.pointer("/status/currentCPUUtilizationPercentage").and_then(Value::as_i64);
        return format!(
            "cpu: {}/{target}%",
            current.map_or("<unknown>".into(), |current| format!("{current}%"))
        );
    }
    let statuses = list(autoscaler, "/status/currentMetrics");
    let shown: Vec<String> = list(autoscaler, "/spec/metrics")
        .iter()
        .enumerate()
        .map(|(place, metric)| target(metric, statuses.get(place).unwrap_or(&Value::Null)))
        .collect();
    if shown.is_empty() { "<none>".into() } else { shortened(&shown, 2, ", ") }
}

/// The current and the target value of a metric.
fn target(metric: &Value, status: &Value) -> String {
    let source = match text(metric, "/type") {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".into(),
    };
    let (Some(metric), status) = (metric.get(source), status.get(source)) else {
        return "<unknown type>".into();
    };
    let current = |field: &str| {
        status
            .and_then(|status| int_or_string(status.pointer(&format!("/current/{field}"))))
            .unwrap_or_else(|| "<unknown>".into())
    };
    let average = metric.pointer("/target/averageValue").is_some();
    let percent = |value: String| if value.starts_with('<') { value } else { format!("{value}%") };
    match source {
        "pods" => format!("{}/{}", current("averageValue"), quantity(metric, "/target/averageValue")),
        "external" | "object" if average => {
            format!("{}/{} (avg)", current("averageValue"), quantity(metric, "/target/averageValue"))
        }
        "external" | "object" => format!("{}/{}", current("value"), quantity(metric, "/target/value")),
        _ if average => format!(
            "{}: {}/{}",
            text(metric, "/name"),
            current("averageValue"),
            quantity(metric, "/target/averageValue")
        ),
        _ => {
            let wanted = int_or_string(metric.pointer("/target/averageUtilization"))
                .map_or_else(|| "<auto>".into(), |wanted| format!("{wanted}%"));
            format!("{}: {}/{wanted}", text(metric, "/name"), percent(current("averageUtilization")))
        }
    }
}
