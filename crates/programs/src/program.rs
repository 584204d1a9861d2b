//! Where the programs are, and how one is run to its end.

use crate::error::{Failure, Log};
use std::{env, ffi::OsStr, fmt, path::PathBuf, process::Command};

/// A program that `hack/programs` provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The registry Harbor stores its artifacts with.
    DockerRegistry,
    /// What serves Harbor's web pages.
    Nginx,
    /// Redis and its sentinel.
    RedisServer,
    /// The client of Redis.
    RedisCli,
    /// What makes the data folder of PostgreSQL.
    Initdb,
    /// The server of PostgreSQL.
    Postgres,
    /// The client of PostgreSQL.
    Psql,
    /// What judges certificates and keys.
    Openssl,
    /// What judges alerts.
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

    /// Its binary in the folder that `HARBOR_PROGRAMS` names, otherwise in the one `hack/programs` left in the cache.
    pub fn path(self) -> Result<PathBuf, Failure> {
        self.within(folder())
    }

    fn within(self, folder: PathBuf) -> Result<PathBuf, Failure> {
        let path = folder.join(self.name());
        if path.exists() { Ok(path) } else { Err(Failure::NotFound { program: self, folder }) }
    }

    /// A command that knows nothing of the environment the tests run in.
    pub(crate) fn command(self) -> Result<Command, Failure> {
        Ok(clean(Command::new(self.path()?)))
    }

    /// What the program prints when it runs to its end.
    pub(crate) fn output(self, command: &mut Command) -> Result<String, Failure> {
        self.outcome(command).map(|outcome| outcome.output)
    }

    /// What the program prints when it runs to its end, and what it complains of although it does not fail.
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

/// What a program that has ended wrote.
pub(crate) struct Outcome {
    pub output: String,
    pub complaints: String,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The folder that holds the programs and nginx's `mime.types`.
pub(crate) fn folder() -> PathBuf {
    set("HARBOR_PROGRAMS").unwrap_or_else(|| cached("programs"))
}

/// What a script of ours left in the cache under this name.
pub(crate) fn cached(name: &str) -> PathBuf {
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(env::temp_dir).join("harbor-operator").join(name)
}

pub(crate) fn set(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A developer's own `PGPASSWORD` or `REGISTRY_…` would change what is tested.
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
