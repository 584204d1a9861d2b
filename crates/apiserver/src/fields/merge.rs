//! Merges a configuration into an object.

use super::{
    element::Element,
    typed::{Shape, Typed, fields, items},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The live value with the values of the configuration. Fails if the items of a live list have no identity.
pub(crate) fn merge(typed: Typed<'_>, live: &Value, config: &Value) -> Result<Value, String> {
    match typed.shape(config) {
        Shape::Scalar | Shape::AtomicMap | Shape::AtomicList => Ok(config.clone()),
        Shape::Map => match (fields(Some(live)), fields(Some(config))) {
            (None, _) => Ok(config.clone()),
            (Some(_), None) => Ok(live.clone()),
            (Some(live), Some(config)) => {
                let mut merged = live.clone();
                for (name, config) in config {
                    let value = match live.get(name) {
                        None => config.clone(),
                        Some(live) => {
                            merge(typed.child(name), live, config).map_err(|why| format!(".{name}{why}"))?
                        }
                    };
                    merged.insert(name.clone(), value);
                }
                Ok(Value::Object(merged))
            }
        },
        shape @ (Shape::Set | Shape::Keyed(_)) => match (items(Some(live)), items(Some(config))) {
            ([], _) => Ok(config.clone()),
            (_, []) => Ok(live.clone()),
            (live, config) => merge_items(typed, shape, live, config).map(Value::Array),
        },
    }
}

/// Merges lists whose items have an identity. The items of the configuration come in its order. Items that
/// exist only in the live list keep their place in between.
fn merge_items(
    typed: Typed<'_>,
    shape: Shape<'_>,
    live: &[Value],
    config: &[Value],
) -> Result<Vec<Value>, String> {
    let left = keyed(typed, shape, live)?;
    let right = keyed(typed, shape, config)?;
    let mut found: BTreeMap<&Element, Option<&Value>> = BTreeMap::new();
    for (element, item) in &left {
        // Duplicates are not merged with the item of the configuration.
        found.entry(element).and_modify(|item| *item = None).or_insert(Some(item));
    }
    let wanted: BTreeSet<&Element> = right.iter().map(|(element, _)| element).collect();
    let mut shared: VecDeque<&Element> =
        right.iter().map(|(element, _)| element).filter(|element| found.contains_key(element)).collect();
    let mut next = shared.pop_front();
    let mut done: BTreeSet<&Element> = BTreeSet::new();
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (0, 0);

    let merged_item = |element: &Element, config: &Value| match found.get(element).copied().flatten() {
        None => Ok(config.clone()),
        Some(live) => merge(typed.item(), live, config).map_err(|why| format!("{element}{why}")),
    };
    loop {
        match (left.get(l), right.get(r)) {
            (None, None) => return Ok(merged),
            (Some((element, _)), Some((other, config))) if element == other => {
                done.insert(element);
                merged.push(merged_item(element, config)?);
                (l, r) = (l + 1, r + 1);
                next = shared.pop_front();
                continue;
            }
            (Some((element, _)), Some(_))
                if wanted.contains(element) && next.is_some_and(|next| next != element) =>
            {
                l += 1;
                continue;
            }
            (Some((element, item)), _) if !wanted.contains(element) => {
                merged.push((*item).clone());
                l += 1;
                continue;
            }
            (Some((element, _)), _) if done.contains(element) => l += 1,
            _ => {}
        }
        if let Some((element, config)) = right.get(r) {
            done.insert(element);
            merged.push(merged_item(element, config)?);
            r += 1;
            if next == Some(element) {
                next = shared.pop_front();
            }
        }
    }
}

fn keyed<'v>(
    typed: Typed<'_>,
    shape: Shape<'_>,
    list: &'v [Value],
) -> Result<Vec<(Element, &'v Value)>, String> {
    list.iter()
        .enumerate()
        .map(|(index, item)| {
            let element = typed.element(shape, item).map_err(|why| format!(": element {index}: {why}"))?;
            Ok((element, item))
        })
        .collect()
}
