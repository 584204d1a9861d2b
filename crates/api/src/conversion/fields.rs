//! Sets of fields: what a version has of an object.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray,
};
use serde_json::{Map, Value};

/// A field that a version has.
#[derive(Debug)]
pub enum Field {
    /// A value that is taken as a whole.
    Value(&'static str),
    /// An object of which the version has these fields.
    Object(&'static str, &'static [Field]),
    /// A list of objects of which the version has these fields.
    List(&'static str, &'static [Field]),
    /// Fields that several objects have.
    Shared(&'static [Field]),
}

/// Writes a set of fields as `name`, `name { fields }`, `name[] { fields }` or `..SHARED`.
macro_rules! fields {
    (@of [$($done:expr,)*]) => { &[$($done),*] };
    (@of [$($done:expr,)*] ..$shared:ident $(, $($rest:tt)*)?) => {
        fields!(@of [$($done,)* Field::Shared($shared),] $($($rest)*)?)
    };
    (@of [$($done:expr,)*] $name:tt [] { $($below:tt)* } $(, $($rest:tt)*)?) => {
        fields!(@of [$($done,)* Field::List(stringify!($name), fields!($($below)*)),] $($($rest)*)?)
    };
    (@of [$($done:expr,)*] $name:tt { $($below:tt)* } $(, $($rest:tt)*)?) => {
        fields!(@of [$($done,)* Field::Object(stringify!($name), fields!($($below)*)),] $($($rest)*)?)
    };
    (@of [$($done:expr,)*] $name:tt $(, $($rest:tt)*)?) => {
        fields!(@of [$($done,)* Field::Value(stringify!($name)),] $($($rest)*)?)
    };
    ($($all:tt)*) => { fields!(@of [] $($all)*) };
}
pub(super) use fields;

/// The field of that name, unless the version lacks it.
pub fn find<'f>(fields: &'f [Field], wanted: &str) -> Option<&'f Field> {
    fields.iter().find_map(|field| match field {
        Field::Value(name) | Field::Object(name, _) | Field::List(name, _) => {
            (*name == wanted).then_some(field)
        }
        Field::Shared(fields) => find(fields, wanted),
    })
}

/// Removes from an object what the version lacks. A value that is no object has nothing to remove.
pub fn restrict(object: &mut Map<String, Value>, fields: &[Field]) {
    object.retain(|name, value| {
        let field = find(fields, name);
        match (field, value) {
            (Some(Field::Object(_, below)), Value::Object(value)) => restrict(value, below),
            (Some(Field::List(_, below)), Value::Array(items)) => {
                for item in items.iter_mut().filter_map(Value::as_object_mut) {
                    restrict(item, below);
                }
            }
            _ => {}
        }
        field.is_some()
    });
}

/// Removes from the schema of an object what the version lacks.
pub fn restrict_schema(schema: &mut JSONSchemaProps, fields: &[Field]) {
    schema.properties.get_or_insert_default().retain(|name, schema| {
        let field = find(fields, name);
        match field {
            Some(Field::Object(_, below)) => restrict_schema(schema, below),
            Some(Field::List(_, below)) => {
                if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
                    restrict_schema(items, below);
                }
            }
            Some(Field::Value(_) | Field::Shared(_)) | None => {}
        }
        field.is_some()
    });
}
