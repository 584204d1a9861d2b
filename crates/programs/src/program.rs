//! Finds programs and runs commands.

use crate::error::{Failure, Log};
use std::{env, ffi::OsStr, fmt, path::PathBuf, process::Command};

/// A program that `hack/programs` provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The registry that stores Harbor's artifacts.
    DockerRegistry,
    /// The server of Harbor's web pages.
    Nginx,
    /// Redis and its sentinel.
    RedisServer,
    /// The client of Redis.
    RedisCli,
    /// Creates the data folder of PostgreSQL.
    Initdb,
    /// The server of PostgreSQL.
    Postgres,
    /// The client of PostgreSQL.
    Psql,
    /// Checks certificates and keys.
    Openssl,
    /// Checks alerts and metrics.
    Promtool,
}

impl Program {
    /// The name of its binary.
    pub fn name(self) -> &'static str {
        match self {
            Self::DockerRegistry => "docker-registry",
            Self::Nginx => "nginx",
            Self::RedisServer => "redis-server",
            Self::RedisCli => "redis-cli",
            Self::Initdb => "initdb",
            Self::Postgres => "postgres",
            Self::Psql => "psql",
            Self::Openssl => "openssl",
            Self::Promtool => "promtool",
        }
    }

    /// The path of its binary in `HARBOR_PROGRAMS`, otherwise in the folder of `hack/programs` in the cache.
    pub fn path(self) -> Result<PathBuf, Failure> {
        self.within(folder())
    }

    fn within(self, folder: PathBuf) -> Result<PathBuf, Failure> {
        let path = folder.join(self.name());
        if path.exists() { Ok(path) } else { Err(Failure::NotFound { program: self, folder }) }
    }

    /// A command without the environment variables of the test.
    pub(crate) fn command(self) -> Result<Command, Failure> {
        Ok(clean(Command::new(self.path()?)))
    }

    /// Runs the program and returns its output.
    pub(crate) fn output(self, command: &mut Command) -> Result<String, Failure> {
        self.outcome(command).map(|outcome| outcome.output)
    }

    /// Runs the program and returns its output and its standard error.
    pub(crate) fn outcome(self, command: &mut Command) -> Result<Outcome, Failure> {
        let spawn = |source| Failure::Spawn { program: self, source };
        let result = command.output().map_err(spawn)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (output, complaints) = (text(&result.stdout), text(&result.stderr));
        if result.status.success() {
            return Ok(Outcome { output, complaints });
        }
        Err(Failure::Refused { program: self, words: Log(output + &complaints) })
    }
}

/// The output of a program that succeeded.
pub(crate) struct Outcome {
    pub output: String,
    pub complaints: String,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The folder with the programs and nginx's `mime.types`.
pub(crate) fn folder() -> PathBuf {
    set("HARBOR_PROGRAMS").unwrap_or_else(|| cached("programs"))
}

/// The folder in the cache with this name, which a script of this repository fills.
pub(crate) fn cached(name: &str) -> PathBuf {
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(env::temp_dir).join("harbor-operator").join(name)
}

pub(crate) fn set(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Removes environment variables: a developer's own `PGPASSWORD` or `REGISTRY_…` would change the test.
pub(crate) fn clean(mut command: Command) -> Command {
    let path = env::var_os("PATH").unwrap_or_else(|| OsStr::new("/usr/bin:/bin").to_owned());
    command.env_clear().env("PATH", path);
    command
}

#[cfg(test)]
mod tests {
    use super::Program;
    use std::path::PathBuf;

    #[test]
    fn a_program_that_is_missing_is_named_with_the_way_to_get_it() {
        let error = Program::Nginx.within(PathBuf::from("/nonexistent")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no nginx in /nonexistent; run hack/programs, or set HARBOR_PROGRAMS to a folder that holds it"
        );
    }
}
