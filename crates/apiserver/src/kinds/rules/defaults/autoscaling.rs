//! Horizontal pod autoscalers.

use crate::kinds::value::{child, fill};
use serde_json::{Value, json};

pub(super) fn autoscaler(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "minReplicas", 1);
    let processor = json!([{
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
    }]);
    fill(spec, "metrics", processor);
    let Some(behavior) = spec.get_mut("behavior") else { return };
    if let Some(up) = child(behavior, "scaleUp") {
        fill(up, "stabilizationWindowSeconds", 0);
        fill(up, "selectPolicy", "Max");
        let policies = json!([
            {"type": "Pods", "value": 4, "periodSeconds": 15},
            {"type": "Percent", "value": 100, "periodSeconds": 15},
        ]);
        fill(up, "policies", policies);
    }
    if let Some(down) = child(behavior, "scaleDown") {
        fill(down, "selectPolicy", "Max");
        fill(down, "policies", json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]));
    }
}
