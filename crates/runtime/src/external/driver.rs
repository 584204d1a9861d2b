//! What a driver for a kind of system does.

use futures::future::BoxFuture;
use plan::{Connection, External, ObjectKey, System};
use serde_json::Value;
use std::collections::BTreeMap;

/// Talks to all systems of one kind.
///
/// Requests may be abandoned at any time, and two of them may be under way at once.
pub trait ExternalDriver: Send + Sync {
    /// The kind of system, see [`System::kind`].
    fn kind(&self) -> &'static str;

    /// What people call a system.
    fn describe(&self, system: &System) -> String {
        system.to_string()
    }

    /// All objects of a collection, by name.
    fn list<'a>(
        &'a self,
        at: At<'a>,
        collection: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, Value>, SystemError>>;

    /// Creates an object, and answers with what the system then says of it. Where it exists already, it is left alone and
    /// the answer is [`SystemError::Exists`].
    fn create<'a>(&'a self, at: At<'a>, wanted: &'a External) -> BoxFuture<'a, Result<Value, SystemError>>;

    /// Writes an object that was last described like this, and answers with what the system then says of it.
    fn update<'a>(
        &'a self,
        at: At<'a>,
        wanted: &'a External,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<Value, SystemError>>;

    /// Deletes an object that was last described like this. One that does not exist is deleted already.
    fn delete<'a>(
        &'a self,
        at: At<'a>,
        object: &'a ObjectKey,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<(), SystemError>>;
}

/// A system, and how to reach it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The system.
    pub system: &'a System,
    /// How to reach it, as the component of the owner describes it.
    pub connection: &'a Connection,
}

/// Why a system did not do what was asked. Users read the words in a status: they never contain a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// It could not be reached or could not answer. Whether it did what was asked is unknown.
    #[error("{0}")]
    Unreachable(String),
    /// It does not accept the object as it is.
    #[error("{problem}; {remedy}")]
    Rejected {
        /// What is wrong with the object.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// It does not accept the credentials, or they do not suffice.
    #[error("{problem}; {remedy}")]
    Forbidden {
        /// What is not allowed.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// Something else has to change or to be deleted first.
    #[error("{problem}; {remedy}")]
    InUse {
        /// What that is.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// An object that was to be created exists.
    #[error("it was created by another program just now; the operator tries again")]
    Exists,
    /// The system does not exist any more.
    #[error(
        "the system does not exist any more; delete this object, or correct the field that names the system"
    )]
    Gone,
}
