//! Conversion of objects between v1alpha3, which the Go operator began with, and v1beta1.
//!
//! The fields of eleven kinds are the same in both versions, except that v1beta1 has more of them (`v1alpha3.rs`). Those
//! of a HarborCluster have moved (`harborcluster`). What v1alpha3 cannot express is kept in an annotation (`kept.rs`).
//!
//! Guarantees, for every object of these kinds:
//! - an object of v1beta1 that is converted down and up again is what it was. The annotation itself is no part of it.
//! - an object of v1alpha3 that is converted up and down again is what it was, except for settings that v1alpha3 ignores:
//!   of each service of a HarborCluster, v1alpha3 shows the one in use. The others stay in v1beta1.
//! - metadata other than annotations, and the status, are what they were.
//! - a field that a client of v1alpha3 changes wins over what was kept.

mod definition;
mod error;
mod fields;
mod harborcluster;
mod kept;
mod v1alpha3;

pub use self::{
    definition::{CONVERSION_PATH, ConversionWebhook, serve_v1alpha3},
    error::ConversionError,
};

use self::{fields::Field, kept::Change};
use crate::names::V1BETA1_FIELDS_ANNOTATION;
use serde_json::{Map, Value};
use std::fmt;

/// What the API server allows all annotations of an object to have together.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// A version of the API that has the kinds of [`kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The version that the Go operator began with.
    V1alpha3,
    /// The version that objects are stored in.
    V1beta1,
}

impl Version {
    /// Both versions.
    pub const ALL: [Self; 2] = [Self::V1alpha3, Self::V1beta1];

    /// The version without its group.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1alpha3 => "v1alpha3",
            Self::V1beta1 => "v1beta1",
        }
    }

    /// The version as objects name it.
    pub const fn api_version(self) -> &'static str {
        match self {
            Self::V1alpha3 => "goharbor.io/v1alpha3",
            Self::V1beta1 => "goharbor.io/v1beta1",
        }
    }

    /// The version that an `apiVersion` names, unless it is another one, or one of another group.
    pub fn of(api_version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.api_version() == api_version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kinds that both versions have.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    v1alpha3::SPECS.iter().map(|(kind, _)| *kind)
}

/// The object in another version, or as it is if it has that version.
pub fn convert(object: Value, to: Version) -> Result<Value, ConversionError> {
    let Value::Object(mut object) = object else {
        return Err(ConversionError::not_an_object("the object", &object));
    };
    let api_version = text(&object, "apiVersion")?;
    let from = Version::of(api_version).ok_or_else(|| ConversionError::Version(api_version.to_owned()))?;
    let kind = text(&object, "kind")?;
    let spec = Spec::of(kind).ok_or_else(|| ConversionError::Kind(kind.to_owned()))?;
    match (from, to) {
        (Version::V1alpha3, Version::V1beta1) => up(&mut object, &spec)?,
        (Version::V1beta1, Version::V1alpha3) => down(&mut object, &spec)?,
        (Version::V1alpha3, Version::V1alpha3) | (Version::V1beta1, Version::V1beta1) => {}
    }
    object.insert("apiVersion".to_owned(), to.api_version().into());
    Ok(object.into())
}

fn up(object: &mut Map<String, Value>, spec: &Spec) -> Result<(), ConversionError> {
    let kept = take_kept(object)?;
    let Some(value) = object_in(object, "spec")? else { return Ok(()) };
    spec.raise(value).map_err(|error| error.within("spec"))?;
    for change in kept {
        change.make(value);
    }
    Ok(())
}

fn down(object: &mut Map<String, Value>, spec: &Spec) -> Result<(), ConversionError> {
    if let Some(annotations) = annotations(object)? {
        annotations.remove(V1BETA1_FIELDS_ANNOTATION);
    }
    let Some(value) = object_in(object, "spec")? else { return Ok(()) };
    let whole = value.clone();
    spec.lower(value);
    let mut derived = value.clone();
    spec.raise(&mut derived).map_err(|error| error.within("spec"))?;
    keep(object, &kept::changes(&derived, &whole))
}

/// How the spec of a kind differs between the versions.
struct Spec {
    /// What v1alpha3 has of it.
    fields: &'static [Field],
    places: Places,
}

/// Whether fields have moved.
enum Places {
    Same,
    HarborCluster,
}

impl Spec {
    fn of(kind: &str) -> Option<Self> {
        let places = if kind == "HarborCluster" { Places::HarborCluster } else { Places::Same };
        v1alpha3::spec(kind).map(|fields| Self { fields, places })
    }

    /// Turns a spec of v1alpha3 into one of v1beta1.
    fn raise(&self, spec: &mut Map<String, Value>) -> Result<(), ConversionError> {
        match self.places {
            Places::Same => Ok(()),
            Places::HarborCluster => harborcluster::raise(spec),
        }
    }

    /// Turns a spec of v1beta1 into what v1alpha3 can express of it.
    fn lower(&self, spec: &mut Map<String, Value>) {
        match self.places {
            Places::Same => {}
            Places::HarborCluster => harborcluster::lower(spec),
        }
        fields::restrict(spec, self.fields);
    }
}

/// Writes changes into the annotation.
fn keep(object: &mut Map<String, Value>, changes: &[Change]) -> Result<(), ConversionError> {
    if changes.is_empty() {
        return Ok(());
    }
    let kept = serde_json::to_string(changes).map_err(|error| ConversionError::Kept(error.to_string()))?;
    let metadata = object_or_new(object, "metadata")?;
    let annotations = object_or_new(metadata, "annotations").map_err(|error| error.within("metadata"))?;
    annotations.insert(V1BETA1_FIELDS_ANNOTATION.to_owned(), kept.into());
    let sizes = annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
    let size: usize = sizes.sum();
    if size > MOST_ANNOTATIONS {
        return Err(ConversionError::TooLarge { size });
    }
    Ok(())
}

/// Takes the changes out of the annotation.
fn take_kept(object: &mut Map<String, Value>) -> Result<Vec<Change>, ConversionError> {
    let Some(annotations) = annotations(object)? else { return Ok(Vec::new()) };
    let Some(kept) = annotations.remove(V1BETA1_FIELDS_ANNOTATION) else { return Ok(Vec::new()) };
    if annotations.is_empty()
        && let Some(Value::Object(metadata)) = object.get_mut("metadata")
    {
        metadata.remove("annotations");
    }
    match kept {
        Value::String(kept) => {
            serde_json::from_str(&kept).map_err(|error| ConversionError::Kept(error.to_string()))
        }
        other => Err(ConversionError::Kept(format!("it is {}", error::type_of(&other)))),
    }
}

/// The annotations of an object, unless it has none.
fn annotations(object: &mut Map<String, Value>) -> Result<Option<&mut Map<String, Value>>, ConversionError> {
    let Some(metadata) = object_in(object, "metadata")? else { return Ok(None) };
    object_in(metadata, "annotations").map_err(|error| error.within("metadata"))
}

/// The object in a field. `null` counts as absent.
fn object_in<'o>(
    object: &'o mut Map<String, Value>,
    field: &str,
) -> Result<Option<&'o mut Map<String, Value>>, ConversionError> {
    match object.get_mut(field) {
        Some(Value::Object(found)) => Ok(Some(found)),
        Some(Value::Null) | None => Ok(None),
        Some(other) => Err(ConversionError::not_an_object(field, other)),
    }
}

/// The object in a field, which is added if it is absent.
fn object_or_new<'o>(
    object: &'o mut Map<String, Value>,
    field: &str,
) -> Result<&'o mut Map<String, Value>, ConversionError> {
    let value = object.entry(field).or_insert(Value::Null);
    if value.is_null() {
        *value = Map::new().into();
    }
    match value {
        Value::Object(found) => Ok(found),
        other => Err(ConversionError::not_an_object(field, other)),
    }
}

/// The text in a field.
fn text<'o>(object: &'o Map<String, Value>, field: &str) -> Result<&'o str, ConversionError> {
    match object.get(field) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(ConversionError::field(field, "must be text")),
        None => Err(ConversionError::field(field, "is missing; add it")),
    }
}
