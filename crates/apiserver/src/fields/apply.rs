//! Server-side apply.

use super::{
    ApplyError, Manager, UNOWNED,
    blank::{blank_like, with_blanks},
    check::check,
    compare::Comparison,
    element::equal,
    entries::{Entries, Entry, Operation, Owner},
    failure::type_text,
    last_applied::{self, KUBECTL},
    merge::merge,
    owned::{owned, with_named_fields},
    put_managed_fields,
    remove::without,
    set::FieldSet,
    take_managed_fields,
    typed::Typed,
    update::record,
};
use crate::schema::Schema;
use serde_json::{Map, Value};

/// Whether an apply may take fields from other managers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    No,
    Yes,
}

/// The object after an apply of a configuration, including `managedFields`. `live` is `None` if it does not exist yet.
///
/// The fields in and below `reset` do not change and have no owner.
pub(crate) fn apply(
    schema: &Schema,
    live: Option<&Value>,
    applied: &Value,
    manager: &Manager<'_>,
    force: Force,
    reset: &[&[&str]],
) -> Result<Value, ApplyError> {
    refuse(live, applied, manager)?;
    let typed = Typed::new(schema);
    if let Some(why) = check(typed, applied) {
        return Err(ApplyError::Invalid(format!(
            "failed to create typed patch object ({}): {why}",
            identity(applied)
        )));
    }
    let mut base = live.map_or_else(|| identified_like(applied), Value::clone);
    let list = take_managed_fields(&mut base).unwrap_or_default();
    let mut entries = Entries::read(&list)
        .map_err(|why| ApplyError::Invalid(format!("failed to decode managed fields: {why}")))?;
    if entries.is_empty() {
        let before = Manager { name: "before-first-apply", ..*manager };
        record(typed, &blank_like(&base), &base, &before, reset, &mut entries);
    }

    let attempt = Attempt { typed, base: &base, applied, manager, reset };
    let (mut object, entries) = match attempt.make(entries.clone(), force) {
        Err(ApplyError::Conflicts(conflicts)) if manager.name == KUBECTL => {
            let inherited = last_applied::inherited(typed, &base, manager.api_version);
            let left: Vec<_> =
                conflicts.into_iter().filter(|conflict| !inherited.contains(&conflict.path)).collect();
            if !left.is_empty() {
                return Err(ApplyError::Conflicts(left));
            }
            attempt.make(entries, Force::Yes)?
        }
        outcome => outcome?,
    };

    for path in reset {
        restore(&mut object, live.map(|_| &base), path);
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|_, value| !value.is_null());
    }
    if manager.name == KUBECTL {
        last_applied::refresh(&mut object, applied);
    }
    put_managed_fields(&mut object, &entries);
    Ok(object)
}

struct Attempt<'a> {
    typed: Typed<'a>,
    base: &'a Value,
    applied: &'a Value,
    manager: &'a Manager<'a>,
    reset: &'a [&'a [&'a str]],
}

impl Attempt<'_> {
    /// The merged object without `managedFields`, and its owners.
    fn make(&self, mut entries: Entries, force: Force) -> Result<(Value, Entries), ApplyError> {
        let Manager { name, api_version, now, subresource } = *self.manager;
        let applier = Owner::new(name, Operation::Apply, api_version, subresource.unwrap_or_default());
        let ignored = FieldSet::of_fields(self.reset);
        let merged = merge(self.typed, self.base, self.applied)
            .map_err(|why| ApplyError::Invalid(format!("failed to merge config: {why}")))?;

        let set = owned(self.typed, self.applied).outside(&ignored);
        let former = entries.get(&applier).cloned();
        let managed = set.clone().union(&entries.owned_by_others(&applier));
        let object = match &former {
            Some(former) => self.prune(merged, &managed, &former.set),
            None => merged,
        };

        let changes =
            Comparison::of(self.typed, &with_blanks(self.base), &with_blanks(&object)).outside(&ignored);
        let conflicts = entries.conflicts(&applier, &changes.written());
        if force == Force::No && !conflicts.is_empty() {
            return Err(ApplyError::Conflicts(conflicts));
        }
        entries.disown(Some(&applier), &changes);

        // A configuration that changes nothing is not recorded as an apply.
        let unchanged = equal(self.base, &object);
        let time = if unchanged { former.and_then(|former| former.time) } else { Some(now.to_owned()) };
        let set = set.difference(&FieldSet::of_fields(UNOWNED));
        entries.set(applier, Entry { set, api_version: api_version.to_owned(), time });
        Ok((object, entries))
    }

    /// The merged object without the fields that this manager applied before, no longer applies, and no other
    /// manager owns.
    fn prune(&self, merged: Value, managed: &FieldSet, former: &FieldSet) -> Value {
        let named = |set: &FieldSet| with_named_fields(self.typed, set);
        let members = |object: &Value| named(&owned(self.typed, object));
        let less =
            |set: &FieldSet| without(self.typed, &merged, set).unwrap_or_else(|| Value::Object(Map::new()));
        let former = named(former);
        let all = members(&merged);
        let bare = less(&former);
        let with_owned = less(&all.difference(&members(&bare).union(&named(managed))));
        less(&all.difference(&members(&with_owned)).intersection(&former))
    }
}

fn refuse(live: Option<&Value>, applied: &Value, manager: &Manager<'_>) -> Result<(), ApplyError> {
    let text =
        |object: &Value, name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = text(applied, "kind");
    let api_version = text(applied, "apiVersion");
    let other_kind = live.is_some_and(|live| text(live, "kind") != kind);
    if other_kind || api_version != manager.api_version {
        return Err(ApplyError::WrongType { api_version, kind });
    }
    match applied.get("metadata").and_then(|metadata| metadata.get("managedFields")) {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(ApplyError::ManagedFieldsPresent),
    }
}

/// The object before it exists: only its kind.
fn identified_like(applied: &Value) -> Value {
    let mut base = Map::new();
    for name in ["apiVersion", "kind"] {
        if let Some(value) = applied.get(name) {
            base.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(base)
}

/// An object as errors name it: `default/web; apps/v1, Kind=Deployment`.
fn identity(object: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let metadata = |name: &str| text(object.get("metadata").and_then(|metadata| metadata.get(name)));
    format!(
        "{}/{}; {}",
        metadata("namespace"),
        metadata("name"),
        type_text(&text(object.get("apiVersion")), &text(object.get("kind")))
    )
}

/// Restores the live value at a path of an object.
fn restore(object: &mut Value, live: Option<&Value>, path: &[&str]) {
    let Some((last, above)) = path.split_last() else { return };
    let former = path.iter().try_fold(live, |value, name| Some(value?.get(*name))).flatten().cloned();
    let mut place = object;
    for name in above {
        let Some(fields) = place.as_object_mut() else { return };
        if former.is_none() && !fields.contains_key(*name) {
            return;
        }
        place = fields.entry(*name).or_insert_with(|| Value::Object(Map::new()));
    }
    let Some(fields) = place.as_object_mut() else { return };
    match former {
        Some(former) => fields.insert((*last).to_owned(), former),
        None => fields.remove(*last),
    };
}
