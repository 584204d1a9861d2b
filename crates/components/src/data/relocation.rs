//! Changes of where data is. The operator moves no data, so it refuses another location until a user confirms
//! that the data was moved.
//!
//! A HarborCluster and a Harbor follow the same rule. A HarborCluster compares its spec with its Harbor, a
//! Harbor with its components. A HarborCluster passes the annotation on to its Harbor.

use api::names::MOVED_ANNOTATION;
use plan::{All, ObjectKey, PlanError};
use std::collections::BTreeMap;

/// A service with the data of a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataService {
    /// Jobs and sessions.
    Cache,
    /// Everything but images.
    Database,
    /// Images.
    Storage,
}

impl DataService {
    /// The name in the annotation.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Database => "database",
            Self::Storage => "storage",
        }
    }
}

/// The location of the data of a service, and the location in the spec; in words for messages.
pub(crate) struct Move {
    /// The service.
    pub service: DataService,
    /// The field with the location.
    pub field: &'static str,
    /// The location of the data.
    pub from: String,
    /// The location in the spec.
    pub to: String,
}

/// Refuses another location for the data of an existing Harbor, unless the annotations of the object confirm
/// the move.
pub(crate) fn check_moves(
    harbor: &ObjectKey,
    annotations: Option<&BTreeMap<String, String>>,
    moves: impl IntoIterator<Item = Move>,
) -> Result<(), PlanError> {
    let confirmed = annotations.and_then(|all| all.get(MOVED_ANNOTATION)).map_or("", String::as_str);
    let check = |Move { service, field, from, to }| {
        let service = DataService::as_str(service);
        if from == to || confirmed.split(',').any(|named| named.trim() == service) {
            return Ok(());
        }
        Err(PlanError::invalid(
            field,
            format!("{harbor} has its data in {from}, and not in {to}"),
            format!(
                "restore the former, or move the data, if there is any, and then set the annotation \
                 {MOVED_ANNOTATION}: {service}"
            ),
        ))
    };
    moves.into_iter().map(check).collect::<Vec<_>>().all().map(drop)
}
