//! Warnings about what could not be read.

use crate::output::warn;
use pods::Report;
use runtime::Inspector;

/// Says what the tree lacks because the user may not read it.
pub fn warn_about_plan(inspector: &Inspector) {
    let unlisted = inspector.unlisted();
    if let Some(first) = unlisted.first() {
        let kinds: Vec<_> = unlisted.iter().map(|it| it.kind.as_str()).collect();
        warn(format_args!("without permission to list {}: {}", kinds.join(", "), first.failure.message));
    }
    let unreadable = inspector.unreadable();
    for refusal in &unreadable {
        warn(refusal);
    }
    if !unlisted.is_empty() || !unreadable.is_empty() {
        warn(
            "what is shown is what exists and what the operator reported; to see what is missing and the order, get these \
             permissions",
        );
    }
}

/// Says what is not known of pods, and how to permit it.
pub fn warn_about_pods(report: &Report) {
    for gap in &report.unseen {
        warn(gap);
    }
    if report.unseen.iter().any(|gap| gap.forbidden) {
        warn(
            "states, restarts, warnings and last words of pods are shown as far as they may be read; the ClusterRole view of \
             Kubernetes has the permissions for all of them",
        );
    }
}
