//! A kind for tests.

use crate::kinds::{Kinds, Origin, Resource};

/// A kind called `Thing` with nothing special about it.
pub(super) fn a_kind(group: &str, plural: &str, origin: Origin) -> Resource {
    let config_map = Kinds::builtin().find("", "v1", "configmaps").unwrap();
    Resource {
        group: group.into(),
        kind: "Thing".into(),
        list_kind: "ThingList".into(),
        plural: plural.into(),
        singular: "thing".into(),
        origin,
        ..Resource::clone(&config_map)
    }
}
