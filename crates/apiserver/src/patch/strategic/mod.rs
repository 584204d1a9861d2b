//! Strategic merge patch: a merge patch that merges lists by the keys in the schema.

mod failure;
mod list;
mod order;

#[cfg(test)]
mod tests;

use self::{
    failure::{bad_type, format_error, unknown_directive},
    list::{Lists, deleted_from, merge_lists},
};
use super::{PatchError, cannot_unmarshal, drop_nulls, object_type, parsed};
use crate::schema::Schema;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// How to treat an object or an item other than merging it.
const DIRECTIVE: &str = "$patch";
/// The only fields that an object keeps.
const RETAIN_KEYS: &str = "$retainKeys";
/// Scalars to remove from a list.
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
/// The order of a list's items.
const ELEMENT_ORDER: &str = "$setElementOrder";

/// The object after a patch, merged according to the schema of the kind.
pub(crate) fn strategic(schema: &Schema, object: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    match parsed(patch)? {
        Value::Null => Ok(object.clone()),
        Value::Object(patch) => {
            let object = object.as_object().cloned().unwrap_or_default();
            merge_maps(object, patch, Some(schema)).map(Value::Object)
        }
        other => Err(PatchError::Malformed(cannot_unmarshal(&other, &object_type()))),
    }
}

fn merge_maps(
    mut original: Map<String, Value>,
    mut patch: Map<String, Value>,
    schema: Option<&Schema>,
) -> Result<Map<String, Value>, PatchError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(unknown_directive(directive, &patch)),
        };
    }
    retain_keys(&mut original, &mut patch)?;
    order_elements(&mut original, &mut patch, schema)?;
    for (name, patch) in patch {
        if name.starts_with(DELETE_FROM) {
            let list = suffix(&name, DELETE_FROM)
                .ok_or_else(|| format_error("invalid patch format of primitive list"))?;
            if let (Some(Value::Array(items)), Value::Array(gone)) = (original.get_mut(list), patch) {
                *items = deleted_from(std::mem::take(items), &gone)?;
            }
        } else {
            merge_field(&mut original, name, patch, schema)?;
        }
    }
    Ok(original)
}

fn merge_field(
    original: &mut Map<String, Value>,
    name: String,
    patch: Value,
    schema: Option<&Schema>,
) -> Result<(), PatchError> {
    let field = schema.and_then(|schema| schema.field(&name)).map(AsRef::as_ref);
    let merged = match (original.remove(&name), patch) {
        (_, Value::Null) => None,
        (Some(Value::Object(original)), Value::Object(patch)) => {
            Some(Value::Object(merge_maps(original, patch, field)?))
        }
        (Some(Value::Array(original)), Value::Array(patch)) => {
            Some(Value::Array(merge_lists(original, patch, Lists::of(field))?))
        }
        (_, mut patch) => {
            drop_nulls(&mut patch);
            without_directives(patch)
        }
    };
    if let Some(merged) = merged {
        original.insert(name, merged);
    }
    Ok(())
}

fn retain_keys(original: &mut Map<String, Value>, patch: &mut Map<String, Value>) -> Result<(), PatchError> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let malformed = || format_error("invalid patch format of retainKeys");
    let Value::Array(keys) = keys else { return Err(malformed()) };
    let keys: BTreeSet<&str> = keys.iter().filter_map(Value::as_str).collect();
    let stray = patch.iter().any(|(name, value)| {
        !value.is_null()
            && !name.starts_with(DELETE_FROM)
            && !name.starts_with(ELEMENT_ORDER)
            && !keys.contains(name.as_str())
    });
    if stray {
        return Err(malformed());
    }
    original.retain(|name, _| keys.contains(name.as_str()));
    Ok(())
}

/// Merges the lists for which the patch sets an order, and sorts them.
fn order_elements(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    schema: Option<&Schema>,
) -> Result<(), PatchError> {
    let names: Vec<String> = patch.keys().filter(|name| name.starts_with(ELEMENT_ORDER)).cloned().collect();
    for name in names {
        let order = list(patch.remove(&name).unwrap_or_default())?;
        let name = suffix(&name, ELEMENT_ORDER)
            .ok_or_else(|| format_error("invalid patch format of setElementOrder list"))?;
        let live = original.get(name).cloned().map(list).transpose()?;
        let changed = patch.remove(name).map(list).transpose()?;
        let field = schema.and_then(|schema| schema.field(name)).map(AsRef::as_ref);
        if let Some(merged) = Lists::of(field).merge_in_order(live, changed, &order)? {
            original.insert(name.to_owned(), Value::Array(merged));
        }
    }
    Ok(())
}

fn list(value: Value) -> Result<Vec<Value>, PatchError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(bad_type("[]interface {}", &other)),
    }
}

/// The text after the prefix and a slash.
fn suffix<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    name.strip_prefix(prefix)?.strip_prefix('/')
}

/// A value of a patch for a field that does not exist yet; `None` if it is a directive.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => Some(Value::Object(
            fields.into_iter().filter_map(|(name, value)| Some((name, without_directives(value)?))).collect(),
        )),
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(without_directives).collect())),
        scalar => Some(scalar),
    }
}
