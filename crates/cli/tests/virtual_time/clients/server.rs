//! Servers outside of Harbor that its pods log in to.

use std::collections::BTreeSet;

/// A server outside of Harbor, which accepts some passwords.
#[derive(Clone, Debug)]
pub struct Server {
    /// Identifies it.
    pub name: &'static str,
    /// The component whose pods use it for every pull: `core` or `registry`.
    pub used_by: &'static str,
    /// The variable of their container that has the password, or a URL with the password.
    pub variable: &'static str,
    /// The passwords that it accepts.
    pub accepts: BTreeSet<String>,
}

impl Server {
    /// PostgreSQL with the password of the examples. A pool of connections hides a wrong password for minutes at most, so every
    /// pull counts as one with a new connection.
    pub fn postgres() -> Self {
        let (name, variable) = ("PostgreSQL", "POSTGRESQL_PASSWORD");
        Self { name, used_by: "core", variable, accepts: BTreeSet::new() }.accepting("example-only-postgres")
    }

    /// Redis with the password of the examples, as Core uses it.
    pub fn redis() -> Self {
        let (name, variable) = ("Redis", "_REDIS_URL_CORE");
        Self { name, used_by: "core", variable, accepts: BTreeSet::new() }.accepting("example-only-redis")
    }

    /// The same Redis, as the registry uses it.
    pub fn redis_of_the_registry() -> Self {
        let (name, variable) = ("Redis of the registry", "REGISTRY_REDIS_PASSWORD");
        Self { name, used_by: "registry", variable, accepts: BTreeSet::new() }.accepting("example-only-redis")
    }

    /// The same, which accepts another password, too.
    #[must_use]
    pub fn accepting(mut self, password: &str) -> Self {
        self.accepts.insert(password.to_owned());
        self
    }

    /// The same, which does not accept a password any more.
    #[must_use]
    pub fn refusing(mut self, password: &str) -> Self {
        self.accepts.remove(password);
        self
    }

    /// Whether a pod with this value gets in.
    pub fn admits(&self, value: &str) -> bool {
        let in_url = || {
            let (user, _) = value.split_once("://")?.1.rsplit_once('@')?;
            Some(user.split_once(':')?.1)
        };
        // The registry reads its variables as YAML.
        self.accepts.contains(in_url().unwrap_or(value).trim_matches('"'))
    }
}
