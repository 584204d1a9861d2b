//! The tree as lines, for logs and pipes: one when an object of the user becomes ready, waits or fails, and one for each other
//! object that fails. Every other change of a tree with a hundred objects would hide these.

use super::words::sentence;
use crate::output::{duration, plain};
use plan::ObjectKey;
use pods::Report;
use progress::{Phase, TreeChange};
use std::{collections::HashMap, fmt::Write as _, mem, time::Duration};

/// Lines that were not taken yet.
#[derive(Debug, Default)]
pub struct Lines {
    /// The phase that the last line about an object shows.
    shown: HashMap<(ObjectKey, Option<ObjectKey>), Phase>,
    /// The pods that fail, and how, by their workload and name.
    failing: HashMap<(ObjectKey, String), String>,
    text: String,
}

impl Lines {
    /// Adds a line for a change if it has one.
    pub fn add(&mut self, change: &TreeChange, at: Duration) {
        let TreeChange { owner, child, state } = change;
        let object = (owner.clone(), child.clone());
        let before = self.shown.get(&object).copied();
        if before == Some(state.phase) || !is_shown(change, before) {
            return;
        }
        self.shown.insert(object, state.phase);
        let child =
            child.as_ref().map(|child| format!(": {} {}", child.kind, child.name)).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:>7}  {owner}{child}: {}", duration(at), sentence(state));
    }

    /// Adds a line for each pod that fails, unless the last report said the same.
    pub fn add_pods(&mut self, report: &Report, at: Duration) {
        let before = mem::take(&mut self.failing);
        for (workload, of) in &report.workloads {
            for pod in of.pods.iter().filter(|pod| pod.failed) {
                let object = (workload.clone(), pod.name.clone());
                if before.get(&object) != Some(&pod.state) {
                    let summary = plain(&pod.summary());
                    // Writing to a string cannot fail.
                    let _ = writeln!(self.text, "{:>7}  {workload}: {summary}", duration(at));
                }
                self.failing.insert(object, pod.state.clone());
            }
        }
    }

    /// The lines since the last call.
    pub fn take(&mut self) -> String {
        mem::take(&mut self.text)
    }
}

fn is_shown(change: &TreeChange, before: Option<Phase>) -> bool {
    let phase = change.state.phase;
    match &change.child {
        // It has lines of its own, as an owner.
        Some(child) if child.group == change.owner.group => false,
        Some(_) => phase == Phase::Failed || (before == Some(Phase::Failed) && phase == Phase::Ready),
        None => match phase {
            Phase::Failed | Phase::Waiting | Phase::Paused | Phase::Deleted | Phase::Ready => true,
            Phase::Blocked | Phase::Applying | Phase::Pending => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pods::{PodReport, WorkloadReport};
    use progress::{NodeState, Tally};

    fn key(group: &str, kind: &str, name: &str) -> ObjectKey {
        ObjectKey::new(group, kind, "r", name)
    }

    fn lines(changes: &[(Option<ObjectKey>, Phase)]) -> String {
        let mut lines = Lines::default();
        for (child, phase) in changes {
            let change = TreeChange {
                owner: key("goharbor.io", "Harbor", "acme"),
                child: child.clone(),
                state: NodeState { phase: *phase, reason: None, message: None, blocked_by: None },
            };
            lines.add(&change, Duration::ZERO);
        }
        lines.take()
    }

    #[test]
    fn an_object_of_the_user_has_a_line_for_each_phase_that_a_user_acts_on() {
        let phases = [Phase::Pending, Phase::Applying, Phase::Waiting, Phase::Waiting, Phase::Ready];
        assert_eq!(
            lines(&phases.map(|phase| (None, phase))),
            "   0.0s  Harbor r/acme: waiting\n   0.0s  Harbor r/acme: ready\n"
        );
    }

    #[test]
    fn another_object_has_a_line_when_it_fails_and_when_that_is_over() {
        let deployment = key("apps", "Deployment", "acme-core");
        let phases = [Phase::Waiting, Phase::Failed, Phase::Waiting, Phase::Ready, Phase::Waiting];
        assert_eq!(
            lines(&phases.map(|phase| (Some(deployment.clone()), phase))),
            "   0.0s  Harbor r/acme: Deployment acme-core: failed\n   0.0s  Harbor r/acme: Deployment acme-core: ready\n"
        );
    }

    #[test]
    fn a_pod_has_a_line_when_it_begins_to_fail_and_when_it_fails_in_another_way() {
        let workload = key("apps", "Deployment", "acme-core");
        let report = |state: &str, failed| {
            let pod = PodReport {
                name: "acme-core-1".into(),
                state: state.into(),
                failed,
                tally: Tally { ready: 0, all: 1 },
                restarts: 2,
                message: Some("why".into()),
                containers: Vec::new(),
                events: Vec::new(),
            };
            let about = WorkloadReport { ready: false, tally: None, pods: vec![pod], events: Vec::new() };
            Report { workloads: [(workload.clone(), about)].into(), ..Report::default() }
        };
        let mut lines = Lines::default();
        let states =
            [("Pending", false), ("Error", true), ("Error", true), ("OOMKilled", true), ("ready", false)];
        for (state, failed) in states {
            lines.add_pods(&report(state, failed), Duration::ZERO);
        }
        assert_eq!(
            lines.take(),
            "   0.0s  Deployment r/acme-core: Pod acme-core-1  Error, 2 restarts: why\n   \
             0.0s  Deployment r/acme-core: Pod acme-core-1  OOMKilled, 2 restarts: why\n"
        );
    }

    #[test]
    fn a_component_has_no_second_line_as_a_child() {
        assert_eq!(lines(&[(Some(key("goharbor.io", "Core", "acme")), Phase::Failed)]), "");
    }
}
