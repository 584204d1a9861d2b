//! The interface that a driver of systems outside the cluster implements.

use futures::future::BoxFuture;
use plan::{Connection, Contents, External, ObjectKey, System, SystemError};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

/// Talks to all systems of one kind.
///
/// Requests may be abandoned at any time, and two of them may be under way at once.
pub trait ExternalDriver: Send + Sync {
    /// The kind of system, see [`System::kind`].
    fn kind(&self) -> &'static str;

    /// The display name of a system.
    fn describe(&self, system: &System) -> String {
        system.to_string()
    }

    /// The part of a collection that an object of this name belongs to; `None` where the collection is listed as a whole.
    /// Parts are listed one by one, and less often where that takes many requests: the members of each project, for example.
    fn part<'a>(&self, _collection: &str, _name: &'a str) -> Option<&'a str> {
        None
    }

    /// How often a collection is listed, if that is not the interval of the operator.
    fn interval(&self, _collection: &str) -> Option<Duration> {
        None
    }

    /// Whether the owners that read a collection are to know when it cannot be listed. Others keep what they know, and their
    /// status, until it can be listed again: a system that is down would change the status of all its objects.
    fn reports_failures(&self, _collection: &str) -> bool {
        false
    }

    /// All objects of a collection, or of the part that is asked for, by name.
    fn list<'a>(
        &'a self,
        at: At<'a>,
        collection: Collection<'a>,
    ) -> BoxFuture<'a, Result<Answer, SystemError>>;

    /// Creates an object and returns the stored object. An existing object stays unchanged, and the answer is
    /// [`SystemError::Exists`].
    fn create<'a>(&'a self, at: At<'a>, wanted: &'a External) -> BoxFuture<'a, Result<Value, SystemError>>;

    /// Updates an object whose last known state is `actual`, and returns the stored object.
    fn update<'a>(
        &'a self,
        at: At<'a>,
        wanted: &'a External,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<Value, SystemError>>;

    /// Deletes an object whose last known state is `actual`. Succeeds if the object does not exist. An object with contents
    /// that are to be kept stays as it is, and the answer is [`SystemError::NotEmpty`].
    fn delete<'a>(
        &'a self,
        at: At<'a>,
        object: &'a ObjectKey,
        actual: &'a Value,
        contents: Contents,
    ) -> BoxFuture<'a, Result<(), SystemError>>;
}

/// A system, and how to reach it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The system.
    pub system: &'a System,
    /// How to reach it, as the component of the owner describes it.
    pub connection: &'a Connection,
    /// The owner for which a request is sent, for the log of the system; `None` for a list, which is for all owners.
    pub owner: Option<&'a ObjectKey>,
}

/// What a list is answered with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// All objects, by name.
    pub objects: BTreeMap<String, Value>,
    /// How many requests it took.
    pub requests: u64,
}

/// What is listed with one question: a collection, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection<'a> {
    /// The collection, see [`External::collection`].
    pub name: &'a str,
    /// See [`ExternalDriver::part`].
    pub part: Option<&'a str>,
}
