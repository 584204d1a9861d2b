//! What is wrong with the objects that rules come from, in words for users.

use std::fmt;

/// Something wrong in an object, which keeps images from being rewritten.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The object to correct.
    pub about: Object,
    /// What is wrong, and the remedy.
    pub message: String,
}

/// An object that rules come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A Namespace.
    Namespace(String),
    /// A ConfigMap.
    ConfigMap {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// A HarborServerConfiguration.
    Server(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.message)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespace(name) => write!(f, "Namespace {name}"),
            Self::ConfigMap { namespace, name } => write!(f, "ConfigMap {namespace}/{name}"),
            Self::Server(name) => write!(f, "HarborServerConfiguration {name}"),
        }
    }
}
