//! Systems outside the cluster.

use serde_json::Value;
use std::{fmt, sync::Arc, time::Duration};

/// Names a system outside the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct System {
    /// The kind of system in one word, such as `harbor`. It decides which driver talks to the system.
    pub kind: String,
    /// The namespace of the object that stands for it.
    pub namespace: String,
    /// The name of the object that stands for it.
    pub name: String,
}

impl System {
    /// The system of this kind that an object of this name stands for.
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        Self { kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    /// In the place of an API group in the keys of its objects. No API group contains these separators.
    pub(crate) fn group(&self) -> String {
        format!("{}:{}/{}", self.kind, self.namespace, self.name)
    }

    /// The system whose objects have this group; `None` for groups of the cluster.
    pub(crate) fn of_group(group: &str) -> Option<Self> {
        let (kind, place) = group.split_once(':')?;
        let (namespace, name) = place.split_once('/')?;
        Some(Self::new(kind, namespace, name))
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name } = self;
        match namespace.as_str() {
            "" => write!(f, "{kind} {name}"),
            namespace => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}

/// How to reach a system: its address, its credentials, and whatever else its driver needs. Only the driver understands it.
#[derive(Clone, PartialEq, Eq)]
pub struct Connection {
    value: Arc<Value>,
    identity: Option<Arc<str>>,
    interval: Option<Duration>,
}

impl Connection {
    /// What the driver of the system asks for.
    pub fn new(value: Value) -> Self {
        Self { value: Arc::new(value), identity: None, interval: None }
    }

    /// To the system with this identity, such as the uid of the object that stands for it: a system of the same name that comes
    /// later is another one, in which the operator changes nothing for owners that were bound to the first.
    #[must_use]
    pub fn identified_by(self, identity: &str) -> Self {
        Self { identity: Some(identity.into()), ..self }
    }

    /// The identity of the system.
    pub fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    /// To a system whose collections are listed this often, if that is not the interval of the operator.
    #[must_use]
    pub fn listed_every(self, interval: Option<Duration>) -> Self {
        Self { interval, ..self }
    }

    /// How often collections of the system are listed, if that is not the interval of the operator.
    pub const fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// What the driver of the system asked for.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

// Not derived: it holds credentials.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_system_is_found_again_in_the_group_of_its_objects_and_in_no_group_of_the_cluster() {
        let system = System::new("harbor", "registry", "acme");
        assert_eq!(System::of_group(&system.group()), Some(system));
        assert_eq!(["", "apps", "goharbor.io"].map(System::of_group), [None, None, None]);
    }

    #[test]
    fn a_connection_says_nothing_of_itself() {
        assert_eq!(format!("{:?}", Connection::new(json!({"password": "hunter2"}))), "Connection(…)");
    }

    #[test]
    fn a_system_that_an_object_of_the_cluster_stands_for_is_shown_without_a_namespace() {
        assert_eq!(System::new("Harbor", "registry", "acme").to_string(), "Harbor registry/acme");
        assert_eq!(System::new("Harbor", "", "main").to_string(), "Harbor main");
    }
}
