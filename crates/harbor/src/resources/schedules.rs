//! Schedules of the jobs of the system, as all three of them have them.

use crate::{ExecutionId, words::words};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

words! {
    /// The type of a schedule. All but the last two need a cron line.
    pub enum ScheduleType {
        /// Each hour.
        Hourly = "Hourly",
        /// Each day.
        Daily = "Daily",
        /// Each week.
        Weekly = "Weekly",
        /// As the cron line says.
        Custom = "Custom",
        /// Once, now.
        Manual = "Manual",
        /// Not at all.
        None = "None",
    }
}

/// When a job runs: a type, which is only shown, and a cron line, which counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The type.
    pub kind: ScheduleType,
    /// The cron line, in UTC.
    pub cron: Cron,
}

impl Schedule {
    /// A schedule of the type that fits every cron line.
    pub fn custom(cron: Cron) -> Self {
        Self { kind: ScheduleType::Custom, cron }
    }
}

/// A cron line: six fields, of which the first, for seconds, is `0`.
///
/// Harbor 2.5 accepts others, which later versions refuse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Cron(String);

/// Why a text is not a cron line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCron {
    /// It has another number of fields.
    #[error("a cron line needs six fields, such as 0 30 3 * * *")]
    Fields,
    /// The first field is not `0`.
    #[error("the first field of a cron line, for seconds, must be 0")]
    Seconds,
    /// It has a character that a cron line cannot have.
    #[error("a cron line consists of digits, letters and * / , - ?")]
    Character,
}

impl Cron {
    /// The cron line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Cron {
    type Err = NotCron;

    fn from_str(text: &str) -> Result<Self, NotCron> {
        let fields: Vec<_> = text.split_ascii_whitespace().collect();
        if fields.len() != 6 {
            return Err(NotCron::Fields);
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || "*/,-?".contains(c);
        if !fields.iter().all(|field| field.chars().all(allowed)) {
            return Err(NotCron::Character);
        }
        if fields[0] != "0" {
            return Err(NotCron::Seconds);
        }
        Ok(Self(fields.join(" ")))
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The body of every request about a schedule.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a, P> {
    schedule: BodySchedule<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a P>,
}

#[derive(Debug, Serialize)]
struct BodySchedule<'a> {
    #[serde(rename = "type")]
    kind: ScheduleType,
    cron: &'a str,
}

impl<'a, P> Body<'a, P> {
    pub(super) fn set(schedule: &'a Schedule, parameters: Option<&'a P>) -> Self {
        let schedule = BodySchedule { kind: schedule.kind.clone(), cron: schedule.cron.as_str() };
        Self { schedule, parameters }
    }

    pub(super) fn none(parameters: Option<&'a P>) -> Self {
        Self { schedule: BodySchedule { kind: ScheduleType::None, cron: "" }, parameters }
    }

    pub(super) fn now(parameters: Option<&'a P>) -> Self {
        Self { schedule: BodySchedule { kind: ScheduleType::Manual, cron: "" }, parameters }
    }
}

/// A schedule as Harbor shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShownSchedule {
    /// The type.
    #[serde(rename = "type")]
    pub kind: ScheduleType,
    /// The cron line.
    pub cron: String,
    /// The next run.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub next_scheduled_time: Option<Timestamp>,
}

impl ShownSchedule {
    /// Whether it is this schedule.
    pub fn is(&self, schedule: &Schedule) -> bool {
        self.kind == schedule.kind && self.cron == schedule.cron.as_str()
    }
}

/// A job of the system with its schedule, or one run of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Its number.
    pub id: ExecutionId,
    /// Its name.
    #[serde(rename = "job_name")]
    pub name: String,
    /// Its cron line, or `MANUAL`.
    #[serde(rename = "job_kind")]
    pub kind: String,
    /// How it stands: `Pending`, `Running`, `Success`, `Error` or `Stopped`.
    #[serde(rename = "job_status")]
    pub status: String,
    /// Its schedule.
    pub schedule: ShownSchedule,
    /// JSON in a text. In versions before 2.15.1, a run of the garbage collection shows the password of Redis here.
    #[serde(rename = "job_parameters")]
    parameters: JobParameters,
    /// When it was created.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub creation_time: Option<Timestamp>,
    /// When its status changed.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub update_time: Option<Timestamp>,
}

/// Text that may contain a password.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
struct JobParameters(String);

impl fmt::Debug for JobParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Job {
    /// Its parameters, as far as `P` has them; the default if they cannot be read.
    pub(super) fn parameters<P: for<'de> Deserialize<'de> + Default>(&self) -> P {
        serde_json::from_str(&self.parameters.0).unwrap_or_default()
    }

    /// Whether a run has ended.
    pub fn has_ended(&self) -> bool {
        ["Success", "Error", "Stopped"].contains(&self.status.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cron, Job, NotCron};
    use serde_json::json;

    #[test]
    fn a_cron_line_is_one_that_every_version_accepts() {
        let read = |text: &str| text.parse::<Cron>().map(|cron| cron.as_str().to_owned());
        assert_eq!(read("0  30 3 * * *"), Ok("0 30 3 * * *".to_owned()));
        assert_eq!(read("0 */15 1-3,5 ? JAN MON"), Ok("0 */15 1-3,5 ? JAN MON".to_owned()));
        assert_eq!(read("30 3 * * *"), Err(NotCron::Fields));
        assert_eq!(read(""), Err(NotCron::Fields));
        assert_eq!(read("5 30 3 * * *"), Err(NotCron::Seconds));
        assert_eq!(read("0 30 3 * * \""), Err(NotCron::Character));
    }

    #[test]
    fn a_run_shows_no_password_of_redis() {
        let parameters = json!({"redis_url_reg": "redis://:hunter2@redis:6379/1"}).to_string();
        let job: Job = serde_json::from_value(json!({"id": 1, "job_parameters": parameters})).unwrap();
        let shown = format!("{job:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
