//! The part of a custom kind's schema that merging and presenting objects needs.

use super::node::{Additional, List, Node};
use crate::schema::{Format, ListKey, Merge, Schema, Type};
use std::sync::Arc;

/// The schema of whole objects.
pub(super) fn root(node: &Node) -> Schema {
    let mut schema = lowered(node);
    add_identity(&mut schema);
    schema
}

fn lowered(node: &Node) -> Schema {
    let mut schema = Schema {
        kind: node.kind,
        properties: node
            .properties
            .iter()
            .map(|(name, field)| (name.clone(), Arc::new(lowered(field))))
            .collect(),
        additional: match &node.additional {
            Additional::Values(values) => Some(Arc::new(lowered(values))),
            Additional::Anything => Some(Arc::new(Schema::anything())),
            Additional::Unsaid | Additional::Nothing => None,
        },
        items: node.items.as_ref().map(|item| Arc::new(lowered(item))),
        merge: match &node.list {
            List::Set => Merge::Set,
            List::Map(keys) => Merge::Map(keys.iter().map(|name| key(node, name)).collect()),
            List::Atomic if node.atomic => Merge::Atomic,
            List::Atomic => Merge::Plain,
        },
        default: node.default.clone(),
        preserves_unknown: node.preserves_unknown,
        format: Format::parse(node.format.as_deref()),
        ..Schema::default()
    };
    if node.embedded {
        add_identity(&mut schema);
    }
    schema
}

fn key(list: &Node, name: &str) -> ListKey {
    let field = list.items.as_ref().and_then(|item| item.properties.get(name));
    ListKey { name: name.to_owned(), default: field.and_then(|field| field.default.clone()) }
}

/// The fields that every object has, whatever its schema says about them.
fn add_identity(schema: &mut Schema) {
    let text = Arc::new(Schema { kind: Some(Type::String), ..Schema::default() });
    schema.properties.insert("apiVersion".into(), Arc::clone(&text));
    schema.properties.insert("kind".into(), text);
    let metadata = Schema::builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    schema.properties.insert("metadata".into(), metadata);
}
