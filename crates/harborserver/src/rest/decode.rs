//! Bodies, read as Go reads them: unknown fields and null are left out, names differ in case, types must fit.

use super::go;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Something that a body can hold.
pub(crate) trait Decode: Default {
    /// The name of the type in Go's messages.
    const GO: &'static str;

    /// Reads a value that is not null, or says what is wrong in Go's words.
    fn decode(value: &Value, place: &Place) -> Result<Self, String>;

    /// Which rules of the schema are broken, in the words of the generated code.
    fn broken_rules(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Where in a body a value is.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// The innermost struct.
    of: &'static str,
    /// The names of the fields down to the value.
    path: String,
}

impl Place {
    /// The place of a field of the struct that is here.
    pub fn field(&self, of: &'static str, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Self { of, path }
    }

    /// The complaint about a value that does not fit here.
    pub fn mismatch(&self, value: &Value, wanted: &str) -> String {
        let kind = go::kind(value);
        if self.path.is_empty() {
            format!("json: cannot unmarshal {kind} into Go value of type {wanted}")
        } else {
            format!(
                "json: cannot unmarshal {kind} into Go struct field {}.{} of type {wanted}",
                self.of, self.path
            )
        }
    }

    /// A field of an object, or its zero value where it is absent or null.
    pub fn read<T: Decode>(
        &self,
        object: &Map<String, Value>,
        of: &'static str,
        name: &str,
    ) -> Result<T, String> {
        // Go prefers the exact name and takes any other case.
        let found = object.get(name).or_else(|| {
            object.iter().find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
        });
        match found {
            None | Some(Value::Null) => Ok(T::default()),
            Some(value) => T::decode(value, &self.field(of, name)),
        }
    }
}

impl Decode for String {
    const GO: &'static str = "string";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| place.mismatch(value, Self::GO))
    }
}

impl Decode for i64 {
    const GO: &'static str = "int64";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        value.as_i64().ok_or_else(|| place.mismatch(value, Self::GO))
    }
}

impl Decode for bool {
    const GO: &'static str = "bool";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| place.mismatch(value, Self::GO))
    }
}

/// Anything.
impl Decode for Value {
    const GO: &'static str = "interface {}";

    fn decode(value: &Value, _: &Place) -> Result<Self, String> {
        Ok(value.clone())
    }
}

/// A field of which absence means something.
impl<T: Decode> Decode for Option<T> {
    const GO: &'static str = T::GO;

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        T::decode(value, place).map(Some)
    }

    fn broken_rules(&self) -> Vec<String> {
        self.as_ref().map(Decode::broken_rules).unwrap_or_default()
    }
}

impl<T: Decode> Decode for Vec<T> {
    const GO: &'static str = "[]interface {}";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        let items = value.as_array().ok_or_else(|| place.mismatch(value, Self::GO))?;
        let read = |item: &Value| if item.is_null() { Ok(T::default()) } else { T::decode(item, place) };
        items.iter().map(read).collect()
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    const GO: &'static str = "map[string]interface {}";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        let members = value.as_object().ok_or_else(|| place.mismatch(value, Self::GO))?;
        let read = |(key, member): (&String, &Value)| {
            let member = if member.is_null() { T::default() } else { T::decode(member, place)? };
            Ok((key.clone(), member))
        };
        members.iter().map(read).collect()
    }
}

/// Declares a struct that a body can hold, by the name of the Go struct that Harbor reads it into.
macro_rules! go_struct {
    (
        $(#[$meta:meta])*
        $name:ident = $go:literal {
            $( $(#[$field_meta:meta])* $field:ident $(= $json:literal)? : $type:ty ),* $(,)?
        }
        $(rules = $rules:expr)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Default, PartialEq)]
        pub(crate) struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl $crate::rest::Decode for $name {
            const GO: &'static str = concat!("models.", $go);

            fn decode(value: &serde_json::Value, place: &$crate::rest::Place) -> Result<Self, String> {
                let object = value.as_object().ok_or_else(|| place.mismatch(value, Self::GO))?;
                Ok(Self {
                    $( $field: place.read(object, $go, $crate::rest::go_struct!(@name $field $($json)?))?, )*
                })
            }

            $(
                fn broken_rules(&self) -> Vec<String> {
                    let rules: fn(&Self) -> Vec<String> = $rules;
                    rules(self)
                }
            )?
        }
    };
    (@name $field:ident $json:literal) => { $json };
    (@name $field:ident) => { stringify!($field) };
}

pub(crate) use go_struct;

#[cfg(test)]
mod tests {
    use super::{Decode, Place};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    go_struct! { Inner = "ProjectMetadata" { public: String } }
    go_struct! {
        Outer = "ProjectReq" {
            name = "project_name": String,
            metadata: Inner,
            hard: BTreeMap<String, i64>,
            limit: Option<i64>,
        }
    }

    fn problem(value: &Value) -> String {
        Outer::decode(value, &Place::default()).err().unwrap_or_default()
    }

    #[test]
    fn unknown_fields_and_null_are_left_out_and_case_does_not_matter() {
        let value = json!({"Project_Name": "a", "nonsense": {}, "metadata": null, "limit": null});
        let read = Outer::decode(&value, &Place::default()).unwrap();
        assert!(read == Outer { name: "a".to_owned(), ..Outer::default() });
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_by_struct_and_path() {
        assert_eq!(
            problem(&json!({"metadata": {"public": true}})),
            "json: cannot unmarshal bool into Go struct field ProjectMetadata.metadata.public of type string"
        );
        assert_eq!(
            problem(&json!({"hard": {"storage": "5"}})),
            "json: cannot unmarshal string into Go struct field ProjectReq.hard of type int64"
        );
        assert_eq!(
            problem(&json!([])),
            "json: cannot unmarshal array into Go value of type models.ProjectReq"
        );
    }
}
