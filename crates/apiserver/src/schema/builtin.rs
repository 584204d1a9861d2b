//! Lowers the definitions of the built-in kinds into schemas.

use super::{Format, Schema, Type, definitions, extensions, published};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

static SCHEMAS: LazyLock<BTreeMap<String, Arc<Schema>>> = LazyLock::new(|| {
    let mut lowering = Lowering::default();
    for name in definitions().keys() {
        lowering.definition(name);
    }
    lowering.done
});

/// The schema of a definition.
pub(super) fn schema(definition: &str) -> Option<&'static Arc<Schema>> {
    SCHEMAS.get(definition)
}

#[derive(Default)]
struct Lowering {
    done: BTreeMap<String, Arc<Schema>>,
    /// The definitions that are being lowered, outermost first.
    open: Vec<String>,
}

impl Lowering {
    fn definition(&mut self, name: &str) -> Arc<Schema> {
        if let Some(schema) = self.done.get(name) {
            return Arc::clone(schema);
        }
        let Some(node) = definitions().get(name) else {
            return Arc::new(Schema::anything());
        };
        if self.open.iter().any(|open| open == name) {
            return Arc::new(Schema {
                kind: Some(Type::Object),
                recurs: Some(name.to_owned()),
                ..Schema::anything()
            });
        }
        self.open.push(name.to_owned());
        let mut schema = self.node(Some(name), node);
        self.open.pop();
        schema.go = Some(go_name(name));
        specialise(name, &mut schema);
        let schema = Arc::new(schema);
        self.done.insert(name.to_owned(), Arc::clone(&schema));
        schema
    }

    /// The schema of a node; `owner` is its definition, if it is one.
    fn node(&mut self, owner: Option<&str>, node: &Value) -> Schema {
        let mut schema = match published::referred(node) {
            Some(name) => Schema::clone(&*self.definition(name)),
            None => Schema {
                kind: kind(node),
                format: Format::parse(extensions::text(node, "format")),
                ..Schema::default()
            },
        };
        if let Some(properties) = node.get("properties").and_then(Value::as_object) {
            for (field, property) in properties {
                let lowered = self.field(owner, field, property);
                schema.properties.insert(field.clone(), Arc::new(lowered));
            }
        }
        if let Some(values) = node.get("additionalProperties").filter(|values| values.is_object()) {
            schema.additional = Some(Arc::new(self.node(None, values)));
        }
        if let Some(items) = node.get("items") {
            schema.items = Some(Arc::new(self.node(None, items)));
        }
        let items = schema.items.clone();
        let merge = extensions::merge(node, |key| items.as_ref()?.properties.get(key)?.default.clone());
        let is_granular = extensions::text(node, "x-kubernetes-map-type") == Some("granular");
        if merge != super::Merge::Plain || is_granular {
            schema.merge = merge;
        }
        schema.patch = extensions::patch(node).or(schema.patch);
        schema
    }

    fn field(&mut self, owner: Option<&str>, field: &str, property: &Value) -> Schema {
        let mut schema = self.node(None, property);
        if let Some(standing) = owner.and_then(|owner| published::standing(owner, field)) {
            schema.default = Some(standing.clone());
        }
        schema
    }
}

fn kind(node: &Value) -> Option<Type> {
    Type::parse(extensions::text(node, "type")?)
}

/// Types whose JSON format is not in their definition.
fn specialise(name: &str, schema: &mut Schema) {
    match name.rsplit('.').next().unwrap_or_default() {
        "IntOrString" => {
            schema.kind = Some(Type::IntOrString);
            schema.format = Format::IntOrString;
        }
        "Quantity" => {
            schema.kind = Some(Type::IntOrString);
            schema.format = Format::Quantity;
        }
        "JSON"
        | "JSONSchemaPropsOrArray"
        | "JSONSchemaPropsOrBool"
        | "JSONSchemaPropsOrStringArray"
        | "RawExtension" => {
            schema.kind = None;
            schema.preserves_unknown = true;
        }
        "FieldsV1" | "Patch" => schema.preserves_unknown = true,
        "MicroTime" => schema.format = Format::MicroTime,
        _ => {}
    }
}

/// The type as Go prints it: `v1.Container`.
fn go_name(definition: &str) -> Arc<str> {
    let mut parts = definition.rsplit('.');
    let (name, package) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{package}.{name}").into()
}
