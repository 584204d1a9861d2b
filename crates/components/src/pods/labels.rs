//! The labels that connect pods with their Deployment, their Service and their NetworkPolicy.

use api::names::{pod_name_label, pod_namespace_label};
use plan::PlanError;
use std::collections::BTreeMap;

/// The selector of a component's pods. A Deployment's selector is immutable, so these labels never change.
pub(crate) fn pod_selector(component: &str, name: &str, namespace: &str) -> BTreeMap<String, String> {
    [(pod_name_label(component), name.to_owned()), (pod_namespace_label(component), namespace.to_owned())]
        .into()
}

/// The labels of the pods: those of the selector and those of the user.
///
/// A user's label that overrides one of the selector is refused: the Deployment would not select its own pods.
/// `field` is where the spec holds the user's labels.
pub(crate) fn pod_labels(
    selector: &BTreeMap<String, String>,
    requested: &BTreeMap<String, String>,
    field: &str,
) -> Result<BTreeMap<String, String>, PlanError> {
    let clash = requested.iter().find(|(key, value)| selector.get(*key).is_some_and(|own| own != *value));
    if let Some((key, _)) = clash {
        return Err(PlanError::invalid(
            format_args!("{field}.templateLabels[{key}]"),
            "selects the pods and cannot be changed",
            "remove it or use another key",
        ));
    }
    Ok(requested.iter().chain(selector).map(|(key, value)| (key.clone(), value.clone())).collect())
}
