//! Background jobs: schedules, executions, and the queues of the job service.

mod execution;
mod gc;
mod purge;
mod queues;
mod scan_all;
mod schedule;
mod schedules;
mod vendor;

pub(crate) use execution::{Execution, Listed, Status, Task, Trigger};
pub(crate) use schedule::{Schedule, next_run};
pub(crate) use vendor::Vendor;

use crate::{
    entropy::{Entropy, hex},
    rest::Route,
    state::{Id, Table},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, time::Duration};

/// The endpoints of jobs.
pub(crate) const ROUTES: &[&[Route]] =
    &[gc::ROUTES, purge::ROUTES, scan_all::ROUTES, queues::ROUTES, schedules::ROUTES];

/// Everything that runs or will run.
#[derive(Clone, Default)]
pub(crate) struct Jobs {
    pub schedules: Table<Schedule>,
    pub executions: Table<Execution>,
    pub tasks: Table<Task>,
    /// The queues that are paused, by job type. Any name can be paused.
    pub paused: BTreeSet<String>,
    /// Up to when running jobs have made progress.
    advanced: Option<Timestamp>,
}

/// A job to run once.
pub(crate) struct Run {
    pub vendor: Vendor,
    pub vendor_id: i64,
    pub trigger: Trigger,
    pub parameters: Map<String, Value>,
    /// One task each.
    pub tasks: Vec<Map<String, Value>>,
    pub duration: Duration,
}

impl Jobs {
    /// Adds a schedule. Scheduling is a job by itself, which takes a number of an execution and of a task.
    pub fn schedule(&mut self, vendor: Vendor, vendor_id: i64, cron: &str, now: Timestamp) -> Id<Schedule> {
        self.executions.burn();
        self.tasks.burn();
        self.schedules.insert(Schedule::new(vendor, vendor_id, cron, now))
    }

    pub fn is_scheduled(&self, vendor: Vendor) -> bool {
        self.schedules.find(|schedule| schedule.vendor == vendor).is_some()
    }

    /// The schedule of a policy, or of a job of the system.
    pub fn schedule_of(&self, vendor: Vendor, vendor_id: i64) -> Option<(Id<Schedule>, &Schedule)> {
        self.schedules.find(|schedule| schedule.vendor == vendor && schedule.vendor_id == vendor_id)
    }

    pub fn unschedule(&mut self, vendor: Vendor, vendor_id: i64) {
        self.schedules.retain(|_, schedule| schedule.vendor != vendor || schedule.vendor_id != vendor_id);
    }

    /// Starts a job.
    pub fn run(&mut self, run: Run, entropy: &mut dyn Entropy, now: Timestamp) -> Id<Execution> {
        let waits = self.paused.contains(run.vendor.job_type());
        let mut execution = Execution::started(&run, now);
        execution.waits = waits;
        let id = self.executions.insert(execution);
        for details in run.tasks {
            let job = hex(entropy, 24);
            self.tasks.insert(Task { execution: id, job, details });
        }
        if run.duration.is_zero() && !waits {
            self.finish(id, now);
        }
        id
    }

    fn finish(&mut self, id: Id<Execution>, now: Timestamp) {
        if let Some(execution) = self.executions.get_mut(id) {
            execution.end(Status::Success, now);
        }
    }

    /// The executions of a vendor, and the policy if it has one, newest first.
    pub fn executions_of(
        &self,
        vendor: Vendor,
        vendor_id: Option<i64>,
    ) -> impl Iterator<Item = (Id<Execution>, &Execution)> {
        self.executions.iter().rev().filter(move |(_, execution)| {
            execution.vendor == vendor && vendor_id.is_none_or(|id| execution.vendor_id == id)
        })
    }

    /// The tasks of an execution, newest first.
    pub fn tasks_of(&self, execution: Id<Execution>) -> impl Iterator<Item = (Id<Task>, &Task)> {
        self.tasks.iter().rev().filter(move |(_, task)| task.execution == execution)
    }

    /// Lets running jobs make progress. What waits in a queue makes none, and without a report nothing does: jobs cannot
    /// report in read-only mode, and do not run without a job service.
    pub fn advance(&mut self, now: Timestamp, reports: bool) {
        let since = self.advanced.replace(now).unwrap_or(now);
        let passed = now.duration_since(since);
        if !reports || passed <= SignedDuration::ZERO {
            return;
        }
        for (_, execution) in self.executions.iter_mut() {
            if execution.is_at_work() {
                // What began in between has had less time.
                let own = now.duration_since(execution.started).min(passed);
                execution.progress(own, now);
            }
        }
    }

    /// Lets jobs wait in these queues from now on. Those that run go on.
    pub fn pause(&mut self, types: impl IntoIterator<Item = String>) {
        self.paused.extend(types);
    }

    /// Lets the jobs of these queues run.
    pub fn resume(&mut self, types: &[String]) {
        self.paused.retain(|paused| !types.contains(paused));
        for (_, execution) in self.executions.iter_mut() {
            execution.waits &= self.paused.contains(execution.vendor.job_type());
        }
    }

    /// Follows policies to their new numbers. What ran is forgotten: its queue is gone.
    pub fn renumber(&mut self, by: i64) {
        for (_, schedule) in self.schedules.iter_mut().filter(|(_, schedule)| schedule.vendor_id > 0) {
            schedule.vendor_id += by;
        }
        self.executions.retain(|_, _| false);
        self.tasks.retain(|_, _| false);
    }

    /// Forgets what ran for a policy.
    pub fn forget(&mut self, vendor: Vendor, vendor_id: i64) {
        self.executions.retain(|_, execution| execution.vendor != vendor || execution.vendor_id != vendor_id);
        let executions = &self.executions;
        self.tasks.retain(|_, task| executions.get(task.execution).is_some());
    }
}
