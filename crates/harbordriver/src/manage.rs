//! What every collection can do.

use crate::client::Client;
use harborstate::{Found, State};
use plan::{External, SystemError};
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;

/// Objects by name.
pub(crate) type Objects = BTreeMap<String, Value>;

/// A collection.
pub(crate) trait Manage {
    /// Which state of an object an update starts from.
    const UPDATES: Start = Start::Present;

    /// All objects of the collection, or those that belong to a project.
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError>;

    /// The objects of the collection where Harbor does not list them. Mostly there are none, and readers get the error.
    fn unlisted(error: SystemError) -> Result<Objects, SystemError> {
        Err(error)
    }

    /// The object of this name as it is now.
    async fn find(client: &Client, collection: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let mut objects = Self::list(client, harborstate::part(collection, name)).await?;
        Ok(objects.remove(name))
    }

    /// Sends the one request that creates an object. What that request cannot do is left to
    /// [`Manage::complete`].
    ///
    /// Without it, as without [`Manage::update`] and [`Manage::delete`], the operator only reads the collection.
    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(only_read(&wanted.name))
    }

    /// Completes an object that was just created. Answers whether it sent anything.
    async fn complete(client: &Client, wanted: &External, actual: &Value) -> Result<Sent, SystemError> {
        if wanted.differences(actual).is_empty() {
            return Ok(Sent::Nothing);
        }
        Self::update(client, wanted, actual).await.map(|()| Sent::Something)
    }

    /// Adds to an object only what it lacks in the state that the engine knows, without a read before or after it, and
    /// returns the object as it is then. `None` where more is needed than that, or where Harbor has another state:
    /// [`Manage::update`] follows.
    async fn extend(_: &Client, _: &External, _: &Value) -> Result<Option<Value>, SystemError> {
        Ok(None)
    }

    /// Makes an object as desired. It is `actual` now, or was when the engine saw it, see
    /// [`Manage::UPDATES`].
    async fn update(_: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        Err(only_read(&wanted.name))
    }

    /// Deletes the contents of an object that keep it from being deleted. Most objects have none.
    async fn empty(_: &Client, _: &str) -> Result<(), SystemError> {
        Ok(())
    }

    /// Deletes an object, which is `actual` now.
    async fn delete(_: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        Err(only_read(name))
    }
}

/// Which state of an object an update starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The present one, which is read first: its numbers may be those of other objects after a restore.
    Present,
    /// The one that the engine knows. The update looks numbers up itself, and the object exists with its
    /// project.
    Known,
}

/// Whether requests were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// At least one.
    Something,
    /// None.
    Nothing,
}

/// The desired state of an object.
pub(crate) fn desired<S: State>(wanted: &External) -> Result<S, SystemError> {
    S::deserialize(&wanted.value).map_err(|error| unreadable(&error))
}

/// The actual state of an object.
pub(crate) fn found<S: State>(actual: &Value) -> Result<Found<S, S::Facts>, SystemError> {
    Found::deserialize(actual).map_err(|error| unreadable(&error))
}

/// Actual state as the engine sees it.
pub(crate) fn shown<S: State>(state: S, facts: S::Facts) -> Result<Value, SystemError> {
    serde_json::to_value(Found { state, facts }).map_err(|error| unreadable(&error))
}

fn only_read(name: &str) -> SystemError {
    crate::failure::rejected(
        format!("the operator only reads {name}"),
        "report this as a defect of the operator",
    )
}

fn unreadable(error: &serde_json::Error) -> SystemError {
    crate::failure::rejected(
        format!("the operator cannot read the state of the object: {error}"),
        "report this as a defect of the operator",
    )
}
