//! Merges two lists by a strategic merge patch.

use super::{
    DIRECTIVE,
    failure::{bad_type, no_merge_key, unknown_directive},
    merge_maps,
    order::{identity, in_order, present_in},
    without_directives,
};
use crate::{go, patch::PatchError, schema::Schema};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// The schema's information about merging a list.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    /// Whether items are merged or the list is replaced.
    merge: bool,
    /// The field that identifies items.
    key: Option<&'a str>,
    item: Option<&'a Schema>,
}

impl<'a> Lists<'a> {
    pub fn of(field: Option<&'a Schema>) -> Self {
        let strategy = field.and_then(|field| field.patch.as_ref());
        Self {
            merge: strategy.is_some_and(|strategy| strategy.merge),
            key: strategy.and_then(|strategy| strategy.merge_key.as_deref()),
            item: field.and_then(|field| field.items.as_deref()),
        }
    }

    /// The merged list in the given order; `None` if there is no list.
    pub fn merge_in_order(
        self,
        live: Option<Vec<Value>>,
        patch: Option<Vec<Value>>,
        order: &[Value],
    ) -> Result<Option<Vec<Value>>, PatchError> {
        if let Some(patch) = &patch {
            check_order(patch, order, self.key)?;
        }
        let original = live.clone().unwrap_or_default();
        let added = patch.clone().unwrap_or_default();
        let merged = match (live, patch) {
            (None, None) => return Ok(None),
            (Some(live), None) => live,
            (None, Some(patch)) => patch.into_iter().filter_map(without_directives).collect(),
            (Some(live), Some(patch)) => merge_lists(live, patch, self)?,
        };
        let (wanted, others) = present_in(merged, order, self.key)?;
        let key = match kind_of(&original, &added)? {
            Kind::Map => Some(self.key.unwrap_or_default()),
            Kind::Scalar => None,
        };
        in_order(wanted, others, order, &original, key).map(Some)
    }
}

/// What the items of a list are.
enum Kind {
    Map,
    Scalar,
}

pub(super) fn merge_lists(
    original: Vec<Value>,
    patch: Vec<Value>,
    lists: Lists<'_>,
) -> Result<Vec<Value>, PatchError> {
    if !lists.merge {
        return Ok(patch);
    }
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    match kind_of(&original, &patch)? {
        Kind::Scalar => {
            let mut seen = HashSet::new();
            let mut merged = original.clone();
            merged.extend(patch.iter().cloned());
            merged.retain(|item| seen.insert(item.to_string()));
            let (wanted, others) = present_in(merged, &patch, None)?;
            in_order(wanted, others, &patch, &original, None)
        }
        Kind::Map => {
            let key = lists.key.ok_or_else(|| {
                PatchError::Unexpected("cannot merge lists without merge key for struct".to_owned())
            })?;
            let (original, patch) = obey_directives(original, patch, key)?;
            let merged = merge_items(original.clone(), &patch, key, lists.item)?;
            let (wanted, others) = present_in(merged, &patch, Some(key))?;
            in_order(wanted, others, &patch, &original, Some(key))
        }
    }
}

/// The list without these scalars.
pub(super) fn deleted_from(original: Vec<Value>, gone: &[Value]) -> Result<Vec<Value>, PatchError> {
    if original.is_empty() && gone.is_empty() {
        return Ok(original);
    }
    match kind_of(&original, gone)? {
        Kind::Scalar => {
            let gone: HashSet<String> = gone.iter().map(ToString::to_string).collect();
            Ok(original.into_iter().filter(|item| !gone.contains(&item.to_string())).collect())
        }
        Kind::Map => {
            Err(PatchError::Unexpected("cannot merge lists without merge key for struct".to_owned()))
        }
    }
}

fn merge_items(
    mut original: Vec<Value>,
    patch: &[Value],
    key: &str,
    schema: Option<&Schema>,
) -> Result<Vec<Value>, PatchError> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, item) in original.iter().enumerate() {
        if item.get(key).is_some() {
            places.entry(identity(item, Some(key))).or_insert(place);
        }
    }
    for item in patch {
        let fields = object(item)?;
        if !fields.contains_key(key) {
            return Err(no_merge_key(fields, key));
        }
        let identity = identity(item, Some(key));
        if let Some(Value::Object(live)) = places.get(&identity).and_then(|place| original.get_mut(*place)) {
            *live = merge_maps(std::mem::take(live), fields.clone(), schema)?;
        } else {
            places.insert(identity, original.len());
            original.push(item.clone());
        }
    }
    Ok(original)
}

/// Executes the directives of items, and returns the items without a directive.
fn obey_directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let mut plain = Vec::new();
    let mut replace = false;
    for item in patch {
        let fields = object(&item)?;
        let Some(directive) = fields.get(DIRECTIVE) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let Some(value) = fields.get(key) else { return Err(no_merge_key(fields, key)) };
                original.retain(|item| item.get(key) != Some(value));
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(PatchError::Unexpected(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            _ => return Err(unknown_directive(directive, fields)),
        }
    }
    Ok(if replace { (plain, Vec::new()) } else { (original, plain) })
}

/// Whether the items of a patch come in the order that it sets; deletions do not count.
fn check_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), PatchError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut kept = Vec::new();
    for item in patch {
        if let Some(key) = key {
            let fields = object(item)?;
            if fields.contains_key(DIRECTIVE) {
                continue;
            }
            if !fields.contains_key(key) {
                return Err(no_merge_key(fields, key));
            }
        }
        kept.push(identity(item, key));
    }
    let mut kept = kept.iter().peekable();
    for item in order {
        if kept.peek().is_none() {
            return Ok(());
        }
        if let Some(key) = key {
            let fields = object(item)?;
            if !fields.contains_key(key) {
                return Err(no_merge_key(fields, key));
            }
        }
        kept.next_if(|kept| **kept == identity(item, key));
    }
    if kept.peek().is_none() {
        return Ok(());
    }
    Err(PatchError::Unexpected(format!(
        "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
        go::plain(&Value::Array(patch.to_vec())),
        go::plain(&Value::Array(order.to_vec())),
    )))
}

fn kind_of(original: &[Value], patch: &[Value]) -> Result<Kind, PatchError> {
    let mut items = original.iter().chain(patch);
    let Some(first) = items.next() else {
        return Err(PatchError::Unexpected("no elements in any of the given slices".to_owned()));
    };
    if first.is_array() {
        return Err(PatchError::Rejected);
    }
    if first.is_null() || items.any(|item| go::type_name(item) != go::type_name(first)) {
        let lists = Value::Array(vec![original.into(), patch.into()]);
        return Err(PatchError::Unexpected(format!(
            "list element types are not identical: {}",
            go::plain(&lists)
        )));
    }
    Ok(if first.is_object() { Kind::Map } else { Kind::Scalar })
}

pub(super) fn object(item: &Value) -> Result<&Map<String, Value>, PatchError> {
    item.as_object().ok_or_else(|| bad_type("map[string]interface {}", item))
}
