//! The timing of a container's probes, and the progress deadline that follows from it.

use api::v1beta1::probes::{ProbeTimes, ProbesSpec, ReadinessTimes};
use k8s_openapi::api::core::v1::{Container, Probe};

/// Kubernetes' default of `progressDeadlineSeconds`.
const DEFAULT_DEADLINE: i32 = 600;

/// Seconds that a pod may take until its containers start: to be scheduled, to mount its volumes, to pull its
/// images.
const BEFORE_START: i32 = 300;

/// The container, with the timing of probes that the user requests.
///
/// A container without a startup probe gets one where the user sets its timing. It probes what the liveness
/// probe probes.
pub(crate) fn timed(container: Container, requested: Option<&ProbesSpec>) -> Container {
    let Some(ProbesSpec { startup, liveness, readiness }) = requested else { return container };
    let startup_probe = container.startup_probe.or_else(|| {
        startup.as_ref()?;
        container.liveness_probe.clone()
    });
    Container {
        startup_probe: at(startup_probe, startup.as_ref()),
        liveness_probe: at(container.liveness_probe, liveness.as_ref()),
        readiness_probe: ready(container.readiness_probe, readiness.as_ref()),
        ..container
    }
}

fn at(probe: Option<Probe>, times: Option<&ProbeTimes>) -> Option<Probe> {
    let (Some(probe), Some(times)) = (probe.clone(), times) else { return probe };
    let ProbeTimes { initial_delay_seconds, period_seconds, timeout_seconds, failure_threshold } = *times;
    Some(Probe {
        initial_delay_seconds: initial_delay_seconds.or(probe.initial_delay_seconds),
        period_seconds: period_seconds.or(probe.period_seconds),
        timeout_seconds: timeout_seconds.or(probe.timeout_seconds),
        failure_threshold: failure_threshold.or(probe.failure_threshold),
        ..probe
    })
}

fn ready(probe: Option<Probe>, times: Option<&ReadinessTimes>) -> Option<Probe> {
    let Some(ReadinessTimes { times, success_threshold }) = times else { return probe };
    let probe = at(probe, Some(times))?;
    Some(Probe { success_threshold: success_threshold.or(probe.success_threshold), ..probe })
}

/// The progress deadline in seconds, which is longer than the slowest start of a container. `None` if
/// Kubernetes' default is long enough.
pub(crate) fn progress_deadline(containers: &[Container]) -> Option<i32> {
    let longest = containers
        .iter()
        .filter_map(|container| container.startup_probe.as_ref())
        .map(tolerated_seconds)
        .max();
    let deadline = longest?.saturating_add(BEFORE_START);
    (deadline > DEFAULT_DEADLINE).then_some(deadline)
}

/// How many seconds a probe tolerates failures, with Kubernetes' defaults for what is not set.
fn tolerated_seconds(probe: &Probe) -> i32 {
    let period = probe.period_seconds.unwrap_or(10);
    let failing = period.saturating_mul(probe.failure_threshold.unwrap_or(3));
    probe.initial_delay_seconds.unwrap_or(0).saturating_add(failing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starting(initial_delay: Option<i32>, period: Option<i32>, failures: Option<i32>) -> Container {
        let probe = Probe {
            initial_delay_seconds: initial_delay,
            period_seconds: period,
            failure_threshold: failures,
            ..Probe::default()
        };
        Container { startup_probe: Some(probe), ..Container::default() }
    }

    #[test]
    fn a_rollout_waits_for_the_longest_start_and_some_time_before_it() {
        let containers = [starting(None, Some(10), Some(30)), starting(Some(60), Some(20), Some(100))];
        assert_eq!(progress_deadline(&containers), Some(60 + 2000 + 300));
    }

    #[test]
    fn kubernetes_decides_how_long_a_rollout_takes_where_starts_are_short() {
        assert_eq!(progress_deadline(&[Container::default()]), None);
        assert_eq!(progress_deadline(&[starting(None, None, None)]), None);
        assert_eq!(progress_deadline(&[starting(None, Some(10), Some(30))]), None);
    }

    #[test]
    fn the_longest_start_there_can_be_is_no_overflow() {
        assert_eq!(progress_deadline(&[starting(Some(i32::MAX), Some(i32::MAX), Some(2))]), Some(i32::MAX));
    }
}
