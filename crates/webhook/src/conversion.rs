//! The ConversionReview of objects, and the answer to it.
//!
//! The API server asks for objects in the version that a client reads or writes. One object that cannot be converted
//! fails the whole review: the answer has all objects or none.

use crate::review::{self, NotAReview, ReviewApi};
use api::conversion::{ConversionError, Version, convert};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const API: ReviewApi = ReviewApi { version: "apiextensions.k8s.io/v1", kind: "ConversionReview" };

/// The answer to a review.
#[derive(Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// The body of the answer.
    pub body: Vec<u8>,
    /// What became of the objects.
    pub outcome: Outcome,
}

/// What became of the objects of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This many objects were converted.
    Converted(usize),
    /// One could not be converted, so none were.
    Failed,
}

#[derive(Deserialize)]
struct Request {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    objects: Vec<Value>,
}

impl review::Request for Request {
    fn uid(&self) -> &str {
        &self.uid
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uid: String,
    converted_objects: Vec<Value>,
    result: Status,
}

#[derive(Serialize)]
#[serde(tag = "status")]
enum Status {
    Success,
    Failure { message: String },
}

/// Answers a review: the objects in the desired version, or why that cannot be.
///
/// # Errors
/// If the body is no ConversionReview.
pub fn review(body: &[u8]) -> Result<Reviewed, NotAReview> {
    let Request { uid, desired_api_version, objects } = API.request(body)?;
    let (converted_objects, result, outcome) = match converted(&desired_api_version, objects) {
        Ok(objects) => {
            let outcome = Outcome::Converted(objects.len());
            (objects, Status::Success, outcome)
        }
        Err(message) => (Vec::new(), Status::Failure { message }, Outcome::Failed),
    };
    let response = Response { uid, converted_objects, result };
    let body = API.answer(response)?;
    Ok(Reviewed { body, outcome })
}

/// All objects in a version, or the first error.
fn converted(desired: &str, objects: Vec<Value>) -> Result<Vec<Value>, String> {
    let Some(version) = Version::of(desired) else {
        return Err(ConversionError::Version(desired.to_owned()).to_string());
    };
    let each = objects.into_iter().map(|object| {
        let name = name(&object);
        convert(object, version).map_err(|error| format!("{name}: {error}"))
    });
    each.collect()
}

/// Kind, namespace and name of an object, for messages.
fn name(object: &Value) -> String {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (kind, namespace, name) = (text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}
