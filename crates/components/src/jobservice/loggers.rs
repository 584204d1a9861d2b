//! The loggers of JobService and of its jobs.
//!
//! JobService supports one logger of each kind: of two files, it writes to the last only.

use crate::{
    pods::{scratch_volume, sub_path, writable_mount},
    values::whole_units,
};
use api::v1beta1::{
    GoDuration,
    jobservice::loggers::{JobServiceLogLevel, LoggersSpec},
    volume::VolumeSource,
};
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};
use serde::Serialize;
use std::time::Duration;

/// Which logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogSource {
    /// Logs of JobService itself.
    Service,
    /// Logs of jobs, which users read.
    Jobs,
}

impl LogSource {
    const fn field(self) -> &'static str {
        match self {
            Self::Service => "spec.loggers",
            Self::Jobs => "spec.jobLoggers",
        }
    }

    /// The field with the volume of a file.
    pub fn field_of_volume(self, index: usize) -> String {
        format!("{}.files[{index}].volume", self.field())
    }

    const fn volume(self) -> &'static str {
        match self {
            Self::Service => "logs-0",
            Self::Jobs => "joblogs-0",
        }
    }

    const fn directory(self) -> &'static str {
        match self {
            Self::Service => "/mnt/logs/0",
            Self::Jobs => "/mnt/joblogs/0",
        }
    }

    /// The name of the file. JobService names the files of jobs itself; without a name for its own, it does not
    /// start.
    const fn file(self) -> Option<&'static str> {
        match self {
            Self::Service => Some("jobservice.log"),
            Self::Jobs => None,
        }
    }
}

/// At least one logger, and at most one of each kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loggers<'a> {
    source: LogSource,
    file: Option<FileLogger<'a>>,
    database: Option<DatabaseLogger>,
    stdout: Option<JobServiceLogLevel>,
}

#[derive(Clone, Debug, PartialEq)]
struct FileLogger<'a> {
    level: JobServiceLogLevel,
    days: Option<u64>,
    volume: Option<&'a VolumeSource>,
    within: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct DatabaseLogger {
    level: JobServiceLogLevel,
    days: Option<u64>,
}

impl<'a> Loggers<'a> {
    /// The loggers that a spec describes.
    pub fn of(spec: &'a LoggersSpec, source: LogSource) -> Result<Self, PlanError> {
        let (file, database) = (file(spec, source), database(spec, source)).all()?;
        let stdout = spec.stdout.as_ref().map(|stdout| stdout.level);
        if file.is_none() && database.is_none() && stdout.is_none() {
            return Err(PlanError::invalid(
                source.field(),
                "names no logger, without which JobService does not start",
                "set stdout: {}, or a file",
            ));
        }
        Ok(Self { source, file, database, stdout })
    }

    /// The level of the logs on standard output, if they are enabled.
    pub const fn stdout(&self) -> Option<JobServiceLogLevel> {
        self.stdout
    }

    /// The entries in JobService's configuration.
    pub fn entries(&self) -> Vec<Entry> {
        let directory = self.source.directory();
        let file = self.file.as_ref().map(|FileLogger { level, days, .. }| Entry {
            name: "FILE",
            level: level.as_str(),
            settings: Some(Settings { base_dir: directory, filename: self.source.file() }),
            sweeper: days.map(|duration| Sweeper {
                duration,
                settings: Some(SweeperSettings { work_dir: directory }),
            }),
        });
        let database = self.database.map(|DatabaseLogger { level, days }| Entry {
            name: "DB",
            level: level.as_str(),
            settings: None,
            sweeper: days.map(|duration| Sweeper { duration, settings: None }),
        });
        let stdout = self.stdout.map(|level| Entry {
            name: "STD_OUTPUT",
            level: level.as_str(),
            settings: None,
            sweeper: None,
        });
        [file, database, stdout].into_iter().flatten().collect()
    }

    /// The volume of the file, if there is one.
    pub fn volume(&self) -> Option<Volume> {
        let name = self.source.volume();
        self.file.as_ref().map(|file| file.volume.map_or_else(|| scratch_volume(name), |it| it.volume(name)))
    }

    /// The mount of that volume.
    pub fn mount(&self) -> Option<VolumeMount> {
        self.file.as_ref().map(|file| VolumeMount {
            sub_path: file.within.clone(),
            ..writable_mount(self.source.volume(), self.source.directory())
        })
    }
}

/// One logger in JobService's configuration.
#[derive(Serialize)]
pub(super) struct Entry {
    name: &'static str,
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Settings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweeper: Option<Sweeper>,
}

#[derive(Serialize)]
struct Settings {
    base_dir: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<&'static str>,
}

/// Removes logs that are older than this many days.
#[derive(Serialize)]
struct Sweeper {
    duration: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<SweeperSettings>,
}

#[derive(Serialize)]
struct SweeperSettings {
    work_dir: &'static str,
}

fn file(spec: &LoggersSpec, source: LogSource) -> Result<Option<FileLogger<'_>>, PlanError> {
    let field = format!("{}.files", source.field());
    match spec.files.as_deref().unwrap_or_default() {
        [] => Ok(None),
        [file] => {
            let (days, within) = (
                days(file.sweeper.as_ref(), &format!("{field}[0].sweeper")),
                sub_path(file.prefix.as_deref(), &format!("{field}[0].prefix")),
            )
                .all()?;
            Ok(Some(FileLogger { level: file.level, days, volume: file.volume.as_ref(), within }))
        }
        several => Err(PlanError::invalid(
            field,
            format!("names {} files, but JobService keeps one logger of a kind", several.len()),
            "leave only the last, which is the one that was written to",
        )),
    }
}

fn database(spec: &LoggersSpec, source: LogSource) -> Result<Option<DatabaseLogger>, PlanError> {
    let field = format!("{}.database", source.field());
    match (&spec.database, source) {
        (None, _) => Ok(None),
        (Some(database), LogSource::Jobs) => Ok(Some(DatabaseLogger {
            level: database.level,
            days: days(database.sweeper.as_ref(), &format!("{field}.sweeper"))?,
        })),
        (Some(_), LogSource::Service) => Err(PlanError::invalid(
            field,
            "is set, but only the logs of jobs can be kept in the database: with it JobService does not start",
            "remove it and set stdout: {}",
        )),
    }
}

fn days(sweeper: Option<&GoDuration>, field: &str) -> Result<Option<u64>, PlanError> {
    sweeper.map(|sweeper| whole_units(sweeper, Duration::from_hours(24), field)).transpose()
}
