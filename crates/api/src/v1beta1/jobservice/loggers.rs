//! Where JobService's logs go.

use crate::v1beta1::{
    duration::{GoDuration, hours},
    volume::VolumeSource,
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where logs go: any combination of files, database and standard output, but at least one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.files) || has(self.database) || has(self.stdout)")
    .message("one of files, database or stdout is required; set stdout: {} to log to standard output"))]
pub struct LoggersSpec {
    /// A file, on a volume of its own. At most one: JobService keeps one logger of a kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileLoggerSpec>>,

    /// Harbor's database; for the logs of jobs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseLoggerSpec>,

    /// Standard output. Harbor cannot show logs of jobs that go nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<StdoutLoggerSpec>,
}

impl LoggersSpec {
    /// Where the logs of jobs go unless set.
    pub fn of_jobs() -> Self {
        let files = FileLoggerSpec {
            level: JobServiceLogLevel::Info,
            sweeper: Some(hours::<720>()),
            volume: Some(VolumeSource::empty_dir("100Mi")),
            prefix: None,
        };
        Self { files: Some(vec![files]), ..Self::of_the_service() }
    }

    /// Where the logs of JobService itself go unless set.
    pub fn of_the_service() -> Self {
        Self {
            files: None,
            database: None,
            stdout: Some(StdoutLoggerSpec { level: JobServiceLogLevel::Info }),
        }
    }
}

/// Logs in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileLoggerSpec {
    /// Least severe messages that are logged. Defaults to INFO.
    #[serde(default)]
    pub level: JobServiceLogLevel,

    /// How long files are kept, rounded up to whole days: `720h` is 30 days. For ever unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweeper: Option<GoDuration>,

    /// The volume. A scratch directory unless set. A volume that leads to the node or holds a token of a ServiceAccount is
    /// refused unless the operator runs with `--allow-privileged-pods`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeSource>,

    /// Directory within the volume. Its root unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// Logs in Harbor's database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseLoggerSpec {
    /// Least severe messages that are logged. Defaults to INFO.
    #[serde(default)]
    pub level: JobServiceLogLevel,

    /// How long entries are kept, rounded up to whole days: `720h` is 30 days. For ever unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweeper: Option<GoDuration>,
}

/// Logs on standard output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StdoutLoggerSpec {
    /// Least severe messages that are logged. Defaults to INFO.
    #[serde(default)]
    pub level: JobServiceLogLevel,
}

default_is_the_empty_object!(FileLoggerSpec, DatabaseLoggerSpec, StdoutLoggerSpec);

/// Severity of JobService's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum JobServiceLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends the process.
    Fatal,
}

impl JobServiceLogLevel {
    /// The level as JobService spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
        }
    }
}
