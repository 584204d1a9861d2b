//! The kinds that the operator reconciles.

use plan::{ComponentKind, ObjectKey};

/// The API group of our own kinds.
pub const GROUP: &str = "goharbor.io";

/// The component of an object, in any version.
pub fn component<'a>(components: &'a [ComponentKind], key: &ObjectKey) -> Option<&'a ComponentKind> {
    components.iter().find(|component| component.is(&key.group, &key.kind))
}

/// The names of all kinds, for messages.
pub fn kind_names(components: &[ComponentKind]) -> String {
    let names: Vec<_> = components.iter().map(|component| component.resource().kind.as_str()).collect();
    names.join(", ")
}
