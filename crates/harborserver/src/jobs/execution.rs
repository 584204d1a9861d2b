//! Jobs that ran or run.

use super::{Run, Vendor};
use crate::{
    rest::{Column, Row},
    state::Id,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// A job that ran or runs.
#[derive(Clone)]
pub(crate) struct Execution {
    pub vendor: Vendor,
    /// The policy that it runs for.
    pub vendor_id: i64,
    pub trigger: Trigger,
    pub parameters: Map<String, Value>,
    pub status: Status,
    pub started: Timestamp,
    pub ended: Option<Timestamp>,
    /// Whether it has not begun, because its queue was paused when it was put there.
    pub waits: bool,
    remaining: SignedDuration,
}

/// A part of an execution that one worker does.
#[derive(Clone)]
pub(crate) struct Task {
    pub execution: Id<Execution>,
    pub job: String,
    pub details: Map<String, Value>,
}

/// How an execution came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    Manual,
    Event,
}

/// How far an execution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    Success,
    Stopped,
}

impl Status {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Success => "Success",
            Self::Stopped => "Stopped",
        }
    }
}

impl Trigger {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "MANUAL",
            Self::Event => "EVENT",
        }
    }
}

impl Execution {
    pub fn started(run: &Run, now: Timestamp) -> Self {
        Self {
            vendor: run.vendor,
            vendor_id: run.vendor_id,
            trigger: run.trigger,
            parameters: run.parameters.clone(),
            status: Status::Running,
            started: now,
            ended: None,
            waits: false,
            remaining: SignedDuration::try_from(run.duration).unwrap_or(SignedDuration::MAX),
        }
    }

    /// Whether it has not ended. Harbor says so, too, of one that waits in a queue.
    pub fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Whether workers are busy with it.
    pub fn is_at_work(&self) -> bool {
        self.is_running() && !self.waits
    }

    pub fn end(&mut self, status: Status, now: Timestamp) {
        if self.is_running() {
            self.status = status;
            self.ended = Some(now);
        }
    }

    pub(super) fn progress(&mut self, passed: SignedDuration, now: Timestamp) {
        self.remaining = self.remaining.saturating_sub(passed);
        if self.remaining <= SignedDuration::ZERO {
            // The job ended between two requests.
            self.end(Status::Success, now.checked_add(self.remaining).unwrap_or(now));
        }
    }
}

/// An execution in a list.
pub(crate) struct Listed<'a>(pub Id<Execution>, pub &'a Execution);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "status" => Some(Column::Text(self.1.status.name().to_owned())),
            "trigger" => Some(Column::Text(self.1.trigger.name().to_owned())),
            "policyid" => Some(Column::Number(self.1.vendor_id)),
            "creationtime" | "starttime" => Some(Column::Time(Some(self.1.started))),
            "endtime" | "updatetime" => Some(Column::Time(self.1.ended)),
            _ => None,
        }
    }
}
