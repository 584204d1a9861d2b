//! Why an object cannot be converted.

use super::{MOST_ANNOTATIONS, Version};
use crate::names::V1BETA1_FIELDS_ANNOTATION;
use serde_json::Value;

/// Why an object cannot be converted. The message names the field and the remedy; the caller names the object.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// The object has a version that is neither of the two.
    #[error("apiVersion: {0} cannot be converted; use {v1alpha3} or {v1beta1}",
        v1alpha3 = Version::V1alpha3.api_version(), v1beta1 = Version::V1beta1.api_version())]
    Version(String),

    /// The kind exists in one version only.
    #[error("kind: {0} does not exist in v1alpha3; use v1beta1")]
    Kind(String),

    /// A field has a value that cannot be converted.
    #[error("{field}: {problem}")]
    Field {
        /// The path of the field.
        field: String,
        /// What is wrong with it, and the remedy.
        problem: String,
    },

    /// The annotation is not what the conversion wrote.
    #[error(
        "metadata.annotations[{annotation}]: cannot be read ({0}); restore it, or remove it together with the fields \
         of v1beta1 that it holds",
        annotation = V1BETA1_FIELDS_ANNOTATION
    )]
    Kept(String),

    /// The annotations would be larger than an API server accepts.
    #[error(
        "metadata.annotations: {size} bytes with the fields that v1alpha3 lacks, and at most {most} are allowed; read \
         the object in v1beta1",
        most = MOST_ANNOTATIONS
    )]
    TooLarge {
        /// The size of all annotations.
        size: usize,
    },
}

impl ConversionError {
    pub(super) fn field(field: &str, problem: &str) -> Self {
        Self::Field { field: field.to_owned(), problem: problem.to_owned() }
    }

    pub(super) fn not_an_object(field: &str, value: &Value) -> Self {
        Self::field(field, &format!("must be an object, is {}", type_of(value)))
    }

    /// The same error of an object that is in a field of another.
    pub(super) fn within(self, outer: &str) -> Self {
        match self {
            Self::Field { field, problem } => Self::Field { field: format!("{outer}.{field}"), problem },
            Self::Version(_) | Self::Kind(_) | Self::Kept(_) | Self::TooLarge { .. } => self,
        }
    }
}

/// The type of a value, as people name it.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
