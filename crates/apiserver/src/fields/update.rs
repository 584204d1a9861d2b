//! The owners of fields after a create, an update or a patch.

use super::{
    Manager, UNOWNED,
    blank::{blank_like, with_blanks},
    compare::Comparison,
    entries::{Entries, Operation, Owner},
    put_managed_fields,
    set::FieldSet,
    take_managed_fields,
    typed::Typed,
};
use crate::schema::Schema;
use serde_json::Value;

/// Sets `new.metadata.managedFields` after a write that changed `old`, as stored, to `new`, as decoded and defaulted.
///
/// The API server sets further fields later, so the creator of a Service does not own its address.
///
/// `new` has the `managedFields` that the client sent: none keeps the owners, an empty list or one empty entry resets
/// them, and anything else replaces them if it is valid. The writer cannot set the fields in and below `reset`.
pub(crate) fn update(
    schema: &Schema,
    old: Option<&Value>,
    new: &mut Value,
    manager: &Manager<'_>,
    reset: &[&[&str]],
) {
    let sent = take_managed_fields(new).filter(|_| manager.subresource.is_none());
    let mut entries = former(old, sent);
    if entries.is_empty() && old.is_some() {
        // The server tracks updates only after the first apply.
        return;
    }
    let mut old = old.map_or_else(|| blank_like(new), Value::clone);
    take_managed_fields(&mut old);
    record(Typed::new(schema), &old, new, manager, reset, &mut entries);
    put_managed_fields(new, &entries);
}

/// Records the owners after a write in the entries.
pub(super) fn record(
    typed: Typed<'_>,
    old: &Value,
    new: &Value,
    manager: &Manager<'_>,
    reset: &[&[&str]],
    entries: &mut Entries,
) {
    let changes =
        Comparison::of(typed, &with_blanks(old), &with_blanks(new)).outside(&FieldSet::of_fields(reset));
    entries.disown(None, &changes);
    let writer = Owner::new(
        manager.name,
        Operation::Update,
        manager.api_version,
        manager.subresource.unwrap_or_default(),
    );
    entries.credit(writer, changes.written().difference(&FieldSet::of_fields(UNOWNED)), manager.now);
    entries.cap();
}

/// The owners before a write.
fn former(old: Option<&Value>, sent: Option<Value>) -> Entries {
    if sent.as_ref().is_some_and(resets) {
        return Entries::default();
    }
    let sent = sent.and_then(|sent| Entries::read(&sent).ok()).unwrap_or_default();
    if !sent.is_empty() {
        return sent;
    }
    old.and_then(|old| old.get("metadata")?.get("managedFields"))
        .and_then(|list| Entries::read(list).ok())
        .unwrap_or_default()
}

fn resets(sent: &Value) -> bool {
    match sent.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([Value::Object(entry)]) => {
            entry.values().all(|value| value.is_null() || value.as_str() == Some(""))
        }
        _ => false,
    }
}

/// Whether two versions of an object differ only in the times in `managedFields`. Such a write is not stored.
pub(crate) fn same_but_for_times(old: &Value, new: &Value) -> bool {
    timeless(old.clone()) == timeless(new.clone())
}

fn timeless(mut object: Value) -> Value {
    let entries = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    object
}
