//! Settings of pods, which the registry controller does not have.

use api::v1beta1::component::ComponentSpec;
use plan::{All, PlanError};

/// Refuses settings of pods in `field`; `registry` is where the settings of the registry's pods are.
///
/// It accepts the settings that the operator's predecessor ignored, since existing manifests contain them:
/// `replicas`, `serviceAccountName`, `nodeSelector`, `tolerations`, `templateLabels` and `templateAnnotations`.
/// The reference says that they have no effect.
pub(crate) fn without_pods(spec: &ComponentSpec, field: &str, registry: &str) -> Result<(), PlanError> {
    let refused = |name: &str| {
        Err(PlanError::invalid(
            format_args!("{field}.{name}"),
            "is set, but the registry controller has no pods of its own: it runs in those of the registry",
            format!("set {registry}.{name}"),
        ))
    };
    [
        ("affinity", spec.affinity.is_some()),
        ("autoscaling", spec.autoscaling.is_some()),
        ("podDisruptionBudget", spec.pod_disruption_budget.is_some()),
        ("priorityClassName", spec.priority_class_name.is_some()),
        ("revisionHistoryLimit", spec.revision_history_limit.is_some()),
        ("topologySpreadConstraints", !spec.topology_spread_constraints.is_empty()),
    ]
    .into_iter()
    .map(|(name, set)| if set { refused(name) } else { Ok(()) })
    .collect::<Vec<_>>()
    .all()
    .map(drop)
}
