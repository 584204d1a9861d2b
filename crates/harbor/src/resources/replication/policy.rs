//! Replication policies in the form in which they are sent and compared.

use super::shown::{ShownFilter, ShownTrigger};
use crate::{RegistryId, words::words};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

words! {
    /// What starts a replication.
    pub enum TriggerType {
        /// A user.
        Manual = "manual",
        /// A push or a deletion.
        EventBased = "event_based",
        /// A clock.
        Scheduled = "scheduled",
    }
}

words! {
    /// Whether a filter selects what matches or what does not.
    pub enum FilterDecoration {
        /// What matches.
        Matches = "matches",
        /// What does not match.
        Excludes = "excludes",
    }
}

/// Where artifacts are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From this Harbor to another registry.
    Push(RegistryId),
    /// From another registry to this Harbor.
    Pull(RegistryId),
}

/// What starts a replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A user.
    Manual,
    /// A push or a deletion in this Harbor.
    EventBased,
    /// A clock: six fields, of which the first is `0` and the second is not `*`.
    Scheduled(String),
}

/// A condition that an artifact must meet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// The name of the repository matches a pattern.
    Name(String),
    /// A tag matches a pattern.
    Tag(FilterDecoration, String),
    /// It has all of these labels.
    Label(FilterDecoration, BTreeSet<String>),
    /// It is of this kind: `image`, `artifact`, and `chart` until 2.7.
    Resource(String),
}

/// A policy to create, or to replace another with. Two are equal if they replicate the same.
#[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReplication {
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// Where artifacts are copied.
    pub direction: Direction,
    /// The namespace at the destination; that of the source if empty.
    pub dest_namespace: String,
    /// How many levels of the name it replaces: 0 to 3, or -1 for all but the last.
    pub dest_namespace_replace_count: i8,
    /// What starts it.
    pub trigger: Trigger,
    /// Which artifacts are copied. Order does not matter.
    pub filters: BTreeSet<Filter>,
    /// Whether deletions are replicated.
    pub deletion: bool,
    /// Whether artifacts at the destination are overwritten.
    pub r#override: bool,
    /// Whether it runs.
    pub enabled: bool,
    /// The maximum speed in KB per second; 0 is none.
    pub speed: i32,
    /// Whether blobs are copied in chunks, from 2.7 on.
    pub copy_by_chunk: bool,
    /// Whether a second run is refused while one is under way, from 2.14 on. Not with events: Harbor answers 500.
    pub single_active_replication: bool,
}

impl Serialize for NewReplication {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Reference {
            id: RegistryId,
        }
        #[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
        #[derive(Serialize)]
        struct Body<'a> {
            name: &'a str,
            description: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            src_registry: Option<Reference>,
            #[serde(skip_serializing_if = "Option::is_none")]
            dest_registry: Option<Reference>,
            dest_namespace: &'a str,
            dest_namespace_replace_count: i8,
            trigger: ShownTrigger,
            filters: Vec<ShownFilter>,
            deletion: bool,
            r#override: bool,
            enabled: bool,
            speed: i32,
            copy_by_chunk: bool,
            single_active_replication: bool,
        }
        let (src_registry, dest_registry) = match self.direction {
            Direction::Pull(id) => (Some(Reference { id }), None),
            Direction::Push(id) => (None, Some(Reference { id })),
        };
        let body = Body {
            name: &self.name,
            description: &self.description,
            src_registry,
            dest_registry,
            dest_namespace: &self.dest_namespace,
            dest_namespace_replace_count: self.dest_namespace_replace_count,
            trigger: ShownTrigger::from(&self.trigger),
            filters: self.filters.iter().map(ShownFilter::from).collect(),
            deletion: self.deletion,
            r#override: self.r#override,
            enabled: self.enabled,
            speed: self.speed.max(0),
            copy_by_chunk: self.copy_by_chunk,
            single_active_replication: self.single_active_replication,
        };
        body.serialize(serializer)
    }
}
