//! The order of the items of a merged list.

use super::{failure::no_merge_key, list::object};
use crate::patch::PatchError;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// The identity of an item: the value of its key, or the item itself.
pub(super) fn identity(item: &Value, key: Option<&str>) -> String {
    match key {
        Some(key) => item.get(key).unwrap_or(&Value::Null).to_string(),
        None => item.to_string(),
    }
}

/// The items that are in a list, and the others.
pub(super) fn present_in(
    items: Vec<Value>,
    list: &[Value],
    key: Option<&str>,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    if let Some(key) = key {
        check_keys(&items, key)?;
    }
    let listed: HashSet<String> = list
        .iter()
        .filter(|item| key.is_none_or(|key| item.get(key).is_some()))
        .map(|item| identity(item, key))
        .collect();
    Ok(items.into_iter().partition(|item| listed.contains(&identity(item, key))))
}

/// Items of the patch come in the order of the patch, others in the order of the live list, and both together in the
/// order of the live list if it has both.
pub(super) fn in_order(
    mut wanted: Vec<Value>,
    mut others: Vec<Value>,
    order: &[Value],
    live: &[Value],
    key: Option<&str>,
) -> Result<Vec<Value>, PatchError> {
    if let Some(key) = key {
        for list in [&wanted, order, &others, live] {
            check_keys(list, key)?;
        }
    }
    let order = places(order, key);
    let live = places(live, key);
    wanted.sort_by_key(|item| order.get(&identity(item, key)).copied());
    others.sort_by_key(|item| live.get(&identity(item, key)).copied());

    let place = |item: &Value| live.get(&identity(item, key)).copied();
    let (mut wanted, mut others) = (VecDeque::from(wanted), VecDeque::from(others));
    let mut merged = Vec::with_capacity(wanted.len() + others.len());
    loop {
        let other_first = match (wanted.front(), others.front()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(wanted), Some(other)) => {
                matches!((place(other), place(wanted)), (Some(other), Some(wanted)) if other < wanted)
            }
        };
        let next = if other_first { others.pop_front() } else { wanted.pop_front() };
        match next {
            Some(item) => merged.push(item),
            None => return Ok(merged),
        }
    }
}

fn places(list: &[Value], key: Option<&str>) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (place, item) in list.iter().enumerate() {
        places.entry(identity(item, key)).or_insert(place);
    }
    places
}

fn check_keys(list: &[Value], key: &str) -> Result<(), PatchError> {
    for item in list {
        let fields = object(item)?;
        if !fields.contains_key(key) {
            return Err(no_merge_key(fields, key));
        }
    }
    Ok(())
}
