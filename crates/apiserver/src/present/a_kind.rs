//! A kind for tests.

use crate::{
    kinds::{Origin, Resource, Subresources},
    schema::Schema,
};
use std::sync::Arc;

/// A kind called `Thing` with nothing special about it.
pub(super) fn a_kind(group: &str, plural: &str, origin: Origin) -> Resource {
    Resource {
        group: group.into(),
        version: "v1".into(),
        kind: "Thing".into(),
        list_kind: "ThingList".into(),
        plural: plural.into(),
        singular: "thing".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        subresources: Subresources::default(),
        counts_generations: false,
        unconditional_update: true,
        schema: Arc::new(Schema::default()),
        columns: Vec::new(),
        origin,
        custom: None,
    }
}
