//! JobService without jobs, while something happens that no job may meet: a migration of the database, or a rotation of what
//! JobService authenticates with.
//!
//! 1. The operator writes the queues that no user has paused into an annotation of the JobService, and then pauses them.
//! 2. It waits until no job runs, for a limited time.
//! 3. It keeps JobService without pods. What the occasion is about may happen now.
//! 4. JobService starts, and the operator resumes the queues of the annotation, and no others.
//!
//! All that is remembered is in the annotations: an operator that is restarted goes on where the one before it was.

mod memory;
mod queues;
#[cfg(test)]
mod tests;

use self::{memory::Memory, queues::Observed};
use super::{part::Part, validated::Validated};
use crate::{
    pods::{is_available, is_stopped},
    values::whole_seconds,
    versions::Feature,
};
use api::v1beta1::{GoDuration, JobService, component::ComponentSpec};
use harborstate::job_queues::{JobQueues, Queue};
use jiff::Timestamp;
use plan::{Builder, PlanError, World};
use std::{collections::BTreeSet, time::Duration};

/// How long jobs may go on, unless the spec says so.
const LONGEST: Duration = Duration::from_mins(10);

/// How long jobs may go on. `field` is where a spec says so.
pub(super) fn longest(requested: Option<&GoDuration>, field: &str) -> Result<Duration, PlanError> {
    let seconds = requested.map(|longest| whole_seconds(longest, field)).transpose()?;
    Ok(seconds.map_or(LONGEST, Duration::from_secs))
}

/// Why JobService is to be quiet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occasion {
    /// How long the operator waits for jobs that run.
    pub drain: Drain,
    /// When JobService gets its pods back, such as `Core has version 2.15.2`.
    pub until: String,
}

/// How long the operator waits for jobs that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drain {
    /// Until this time at the latest.
    Until(Timestamp),
    /// Not at all: what the occasion is about has begun.
    Over,
}

impl Drain {
    /// For this time, from this moment on.
    pub fn since(moment: Timestamp, longest: Duration) -> Self {
        Self::Until(moment.checked_add(longest).unwrap_or(Timestamp::MAX))
    }
}

/// How quiet JobService is, and what is done about that now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Quiet {
    /// What the JobService remembers.
    memory: Memory,
    /// The queues that Harbor is to have, if the operator changes any now.
    queues: JobQueues,
    /// What the occasion, or the end of it, waits for.
    waits: Option<String>,
    /// Whether no job runs, and none can begin.
    reached: bool,
    /// The JobService as it is.
    stored: Option<JobService>,
    /// Whether there is an occasion.
    is_wanted: bool,
}

impl Quiet {
    /// How quiet the JobService of a Harbor is. Without an occasion it is as users want it, and queues that the operator has
    /// paused are resumed. `harbor` is the Harbor at the version that JobService has, and `stored` its JobService, if it exists.
    pub fn of(
        harbor: &Validated<'_>,
        stored: Option<JobService>,
        occasion: Option<&Occasion>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let Some(stored) = stored else { return Ok(Self { reached: true, ..Self::default() }) };
        let memory = Memory::of(&stored);
        let quiet = match occasion {
            Some(occasion) => Self::during_occasion(harbor, occasion, memory, world)?,
            None => Self::afterwards(harbor, memory, world)?,
        };
        Ok(Self { stored: Some(stored), is_wanted: occasion.is_some(), ..quiet })
    }

    /// Whether no job runs, and none can begin, or the operator waits no longer for that.
    pub fn is_reached(&self) -> bool {
        self.reached
    }

    /// What the occasion waits for, or what keeps the operator from resuming queues.
    pub fn waits(&self) -> Option<&str> {
        self.waits.as_deref()
    }

    /// Whether there is an occasion for it.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// The JobService as it is, if it exists.
    pub fn stored(&self) -> Option<&JobService> {
        self.stored.as_ref()
    }

    /// Why the operator keeps JobService without pods, if it does.
    pub fn stopped(&self) -> Option<&str> {
        self.memory.stopped.as_deref()
    }

    /// A JobService as it is to be now.
    pub fn now(&self, jobservice: JobService) -> JobService {
        if self.is_wanted { self.during(jobservice) } else { self.after(jobservice) }
    }

    /// A JobService during the occasion.
    pub fn during(&self, mut jobservice: JobService) -> JobService {
        if self.stopped().is_some() {
            let pods = &mut jobservice.spec.component;
            *pods = ComponentSpec { replicas: Some(0), autoscaling: None, ..pods.clone() };
        }
        self.memory.write(&mut jobservice);
        jobservice
    }

    /// A JobService after the occasion.
    pub fn after(&self, mut jobservice: JobService) -> JobService {
        let memory = self.memory.started();
        let was_scaled =
            self.stored.as_ref().is_some_and(|stored| stored.spec.component.autoscaling.is_some());
        let pods = &mut jobservice.spec.component;
        if let Some(autoscaling) = pods.autoscaling.as_ref().filter(|_| memory.is_some() && !was_scaled) {
            // An autoscaler does not start what has no replicas.
            let least = autoscaling.min_replicas.unwrap_or(1).max(1);
            *pods = ComponentSpec { replicas: Some(least), autoscaling: None, ..pods.clone() };
        }
        memory.write(&mut jobservice);
        jobservice
    }

    /// Adds the change of queues, if there is one.
    pub fn add(&self, harbor: &Validated<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        queues::add(harbor, &self.queues, graph)
    }

    fn during_occasion(
        harbor: &Validated<'_>,
        occasion: &Occasion,
        memory: Memory,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        if has_no_pods(harbor) {
            return Ok(Self { memory, reached: true, ..Self::default() });
        }
        if memory.stopped.is_some() {
            let reached = is_stopped(&harbor.child(Part::JobService.name()), world)?;
            let waits = (!reached).then(|| "JobService still has pods".to_owned());
            return Ok(Self { memory, waits, reached, ..Self::default() });
        }
        let stop = |note: &str| {
            let why = format!("is stopped until {}{note}", occasion.until);
            let stopped = Memory { stopped: Some(why), ..memory.clone() };
            Ok(Self { memory: stopped.remembering(), ..Self::default() })
        };
        let deadline = match occasion.drain {
            Drain::Over => return stop(""),
            // No way to pause its queues, or to see its jobs.
            Drain::Until(_) if !harbor.version.has(Feature::JobQueues) => return stop(""),
            Drain::Until(deadline) => deadline,
        };
        let is_late = world.clock().is_past(deadline);
        let waits = |what: &str| Some(format!("{what}, until {deadline} at the latest"));
        let Observed { state, running } = match queues::observed(harbor, world)? {
            Ok(observed) => observed,
            Err(problem) if is_late => return stop(&format!(", without an end of its jobs: {problem}")),
            Err(problem) => {
                let waits = waits(&format!("JobService's queues cannot be paused: {problem}"));
                return Ok(Self { memory, waits, ..Self::default() });
            }
        };
        let Some(ours) = &memory.queues else {
            let unpaused = state.queues.iter().filter(|(_, queue)| !queue.paused);
            let ours = unpaused.map(|(name, _)| name.clone()).collect();
            if is_late {
                return stop(", without an end of its jobs");
            }
            let waits = waits("JobService's queues are being paused");
            return Ok(Self { memory: Memory { queues: Some(ours), ..memory }, waits, ..Self::default() });
        };
        let (pausing, busy) = (differing(ours, &state, Queue { paused: true }), queues::described(&running));
        match (pausing.queues.is_empty(), busy) {
            (true, None) => stop(""),
            (_, Some(jobs)) if is_late => stop(&format!(", which interrupts {jobs}")),
            (_, None) if is_late => stop(", although not all of its queues could be paused"),
            (all_paused, busy) => {
                let jobs = busy.filter(|_| all_paused).map(|jobs| format!("JobService still runs {jobs}"));
                let what = jobs.unwrap_or_else(|| "JobService's queues are being paused".into());
                Ok(Self { waits: waits(&what), queues: pausing, memory, ..Self::default() })
            }
        }
    }

    fn afterwards(harbor: &Validated<'_>, memory: Memory, world: &World<'_>) -> Result<Self, PlanError> {
        let started = memory.started();
        let Some(ours) = started.queues.as_ref().filter(|_| memory.stopped.is_none()) else {
            return Ok(Self { memory: started, ..Self::default() });
        };
        let pods = harbor.child(Part::JobService.name());
        if ours.is_empty() {
            let starts = !has_no_pods(harbor) && is_stopped(&pods, world)?;
            return Ok(Self { memory: if starts { started } else { Memory::default() }, ..Self::default() });
        }
        if !is_available(&pods, world)? {
            return Ok(Self { memory: started, ..Self::default() });
        }
        Ok(match queues::observed(harbor, world)? {
            Err(problem) => {
                let waits =
                    Some(format!("the queues that the operator has paused stay so for now: {problem}"));
                Self { memory: started, waits, ..Self::default() }
            }
            Ok(Observed { state, .. }) => {
                let queues = differing(ours, &state, Queue { paused: false });
                let memory = if queues.queues.is_empty() { Memory::default() } else { started };
                Self { memory, queues, ..Self::default() }
            }
        })
    }
}

/// The queues of these types that exist and are not as wanted, as wanted.
fn differing(ours: &BTreeSet<String>, state: &JobQueues, wanted: Queue) -> JobQueues {
    let differ = state.queues.iter().filter(|(name, queue)| ours.contains(*name) && **queue != wanted);
    JobQueues { queues: differ.map(|(name, _)| (name.clone(), wanted)).collect() }
}

/// Whether a user wants JobService without pods.
fn has_no_pods(harbor: &Validated<'_>) -> bool {
    let pods = harbor.installation.jobservice.as_ref().map(|jobservice| &jobservice.component);
    pods.is_some_and(|pods| pods.replicas == Some(0) && pods.autoscaling.is_none())
}
