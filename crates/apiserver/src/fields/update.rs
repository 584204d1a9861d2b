//! What a create, an update or a patch does to the owners of fields.

use super::{
    Manager, NOBODYS,
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

/// Sets `new.metadata.managedFields` after a write that took `old`, as stored, to `new`, as decoded and defaulted.
///
/// What the server itself sets comes later: who creates a Service does not own its address.
///
/// `new` comes with what the client sent: nothing keeps the owners, an empty list or one empty entry resets them, and
/// anything else replaces them if it can be read. What is in or below `reset` is not the writer's to set.
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
        // Nobody is tracked until somebody applies.
        return;
    }
    let mut old = old.map_or_else(|| blank_like(new), Value::clone);
    take_managed_fields(&mut old);
    record(Typed::new(schema), &old, new, manager, reset, &mut entries);
    put_managed_fields(new, &entries);
}

/// Writes into the entries who owns what after a write.
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
    entries.credit(writer, changes.written().difference(&FieldSet::of_fields(NOBODYS)), manager.now);
    entries.cap();
}

/// The owners that a write starts from.
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

/// Whether two versions of an object differ in nothing but the times in `managedFields`: such a write is not stored.
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
