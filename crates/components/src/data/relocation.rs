//! Data does not move by itself: what is to be found elsewhere is refused until a user says that it was moved.
//!
//! A HarborCluster and a Harbor are judged alike, each by what it has written before: a HarborCluster by its Harbor, a
//! Harbor by its components. The annotation of a HarborCluster is passed on to its Harbor, which allows the same.

use plan::{All, ObjectKey, PlanError};
use std::collections::BTreeMap;

/// Names the services, separated by commas, whose data a user has moved to where the spec says it is.
pub(crate) const DATA_MOVED_ANNOTATION: &str = "goharbor.io/data-moved";

/// What of a Harbor has data.
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
    /// As the annotation names it.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Database => "database",
            Self::Storage => "storage",
        }
    }
}

/// Where the data of a service is, and where it would be looked for; in words for people.
pub(crate) struct Move {
    /// Which service.
    pub service: DataService,
    /// The field that says where.
    pub field: &'static str,
    /// Where the data is.
    pub from: String,
    /// Where it would be looked for.
    pub to: String,
}

/// Refuses to look for the data of an existing Harbor elsewhere. The annotations are those of the object that is judged.
pub(crate) fn check_moves(
    harbor: &ObjectKey,
    annotations: Option<&BTreeMap<String, String>>,
    moves: impl IntoIterator<Item = Move>,
) -> Result<(), PlanError> {
    let confirmed = annotations.and_then(|all| all.get(DATA_MOVED_ANNOTATION)).map_or("", String::as_str);
    let judge = |Move { service, field, from, to }| {
        let service = DataService::as_str(service);
        if from == to || confirmed.split(',').any(|named| named.trim() == service) {
            return Ok(());
        }
        Err(PlanError::invalid(
            field,
            format!("{harbor} has its data in {from}, and not in {to}"),
            format!(
                "restore the former, or move the data, if there is any, and then set the annotation \
                 {DATA_MOVED_ANNOTATION}: {service}"
            ),
        ))
    };
    moves.into_iter().map(judge).collect::<Vec<_>>().all().map(drop)
}
