//! Drops the fields of a custom object that are not in its schema.

use super::{
    CustomSchema,
    node::{Additional, Node},
};
use crate::schema::{self, Schema, path::Path};
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

static OBJECT_META: LazyLock<Arc<Schema>> =
    LazyLock::new(|| Schema::builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));

/// Drops unknown fields, and returns them.
pub(crate) fn prune(schema: &CustomSchema, object: &mut Value) -> Vec<String> {
    let mut pruning = Pruning::default();
    pruning.value(Some(&schema.root), true, object);
    pruning.unknown.sort();
    pruning.unknown.iter().map(|path| format!("unknown field {path:?}")).collect()
}

/// Whether a default has fields that are not in its schema.
pub(super) fn is_pruned(node: &Node, value: &Value) -> bool {
    let mut pruning = Pruning::default();
    pruning.value(Some(node), node.embedded, &mut value.clone());
    pruning.unknown.is_empty()
}

#[derive(Default)]
struct Pruning {
    path: Path,
    unknown: Vec<String>,
}

impl Pruning {
    /// Prunes a value. Without a node, nothing is known about it.
    fn value(&mut self, node: Option<&Node>, embedded: bool, value: &mut Value) {
        if self.path.is_too_deep() {
            return;
        }
        match value {
            Value::Object(map) => self.fields(node, embedded, map),
            Value::Array(items) => {
                let item = node.and_then(|node| node.items.as_deref());
                let keeps = node.is_some_and(|node| node.preserves_unknown);
                for (index, value) in items.iter_mut().enumerate() {
                    let mark = self.path.index(index);
                    if item.is_some() || !keeps {
                        self.value(item, item.is_some_and(|item| item.embedded), value);
                    }
                    self.path.leave(mark);
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, node: Option<&Node>, embedded: bool, map: &mut Map<String, Value>) {
        map.retain(|name, value| {
            if embedded && matches!(name.as_str(), "apiVersion" | "kind") {
                return true;
            }
            let mark = self.path.field(name);
            let kept = if embedded && name == "metadata" {
                self.metadata(value);
                true
            } else {
                self.field(node, name, value)
            };
            self.path.leave(mark);
            kept
        });
    }

    /// Whether the field at the path is kept.
    fn field(&mut self, node: Option<&Node>, name: &str, value: &mut Value) -> bool {
        let known = node.and_then(|node| node.field(name));
        if let Some(known) = known {
            self.value(Some(known), known.embedded, value);
            return true;
        }
        let anything = node.is_some_and(|node| matches!(node.additional, Additional::Anything));
        if anything {
            self.value(None, false, value);
            return true;
        }
        let kept = node.is_some_and(|node| node.preserves_unknown);
        if !kept {
            self.unknown.push(self.path.to_string());
        }
        kept
    }

    /// Metadata is the same for all kinds; another check refuses fields of the wrong type.
    fn metadata(&mut self, value: &mut Value) {
        let mut decoded = value.clone();
        if let Ok(unknown) = schema::decode(&OBJECT_META, &mut decoded) {
            *value = decoded;
            let names = unknown.iter().filter_map(|problem| problem.split('"').nth(1));
            self.unknown.extend(names.map(|name| format!("{}.{name}", self.path)));
        }
    }
}
