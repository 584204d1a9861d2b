//! The ConversionReview of objects, and the answer to it.
//!
//! The API server asks for objects in the version that a client reads or writes. One object that cannot be converted
//! fails the whole review: the answer has all objects or none.
//!
//! A review has all objects of a list. They are read, converted and written one after the other, so that the two bodies and
//! one object are in memory.

mod objects;

use crate::review::{self, NotAReview, ReviewApi};
use api::conversion::{ConversionError, Version, convert};
use serde::{
    Deserialize, Serialize, Serializer,
    de::IgnoredAny,
    ser::{Error as _, SerializeSeq as _},
};
use serde_json::Value;
use std::cell::RefCell;

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
    /// How many they are.
    objects: Vec<IgnoredAny>,
}

impl review::Request for Request {
    fn uid(&self) -> &str {
        &self.uid
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<O> {
    uid: String,
    converted_objects: O,
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
    let Some(version) = Version::of(&desired_api_version) else {
        return failed(uid, ConversionError::Version(desired_api_version).to_string());
    };
    let converted = Converted { body, version, failure: RefCell::default() };
    let response = Response { uid: uid.clone(), converted_objects: &converted, result: Status::Success };
    match (API.answer(response), converted.failure.take()) {
        (Ok(body), None) => Ok(Reviewed { body, outcome: Outcome::Converted(objects.len()) }),
        (_, Some(Failure::Object(message))) => failed(uid, message),
        (_, Some(Failure::Body(error))) | (Err(error), None) => Err(error),
    }
}

/// The answer without objects.
fn failed(uid: String, message: String) -> Result<Reviewed, NotAReview> {
    let response = Response { uid, converted_objects: [(); 0], result: Status::Failure { message } };
    Ok(Reviewed { body: API.answer(response)?, outcome: Outcome::Failed })
}

/// The objects of a review in a version, as a list that is made while it is written.
struct Converted<'a> {
    body: &'a [u8],
    version: Version,
    /// Why the list could not be written.
    failure: RefCell<Option<Failure>>,
}

enum Failure {
    /// An object cannot be converted.
    Object(String),
    /// An object is not JSON that can be read.
    Body(NotAReview),
}

impl Serialize for Converted<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        let read = objects::each(self.body, |object| {
            let name = name(&object);
            match convert(object, self.version) {
                Ok(object) => list.serialize_element(&object).map_err(|error| error.to_string()),
                Err(error) => {
                    self.failure.replace(Some(Failure::Object(format!("{name}: {error}"))));
                    Err(String::new())
                }
            }
        });
        match read {
            Ok(()) => list.end(),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert_with(|| Failure::Body(API.unreadable(&error)));
                Err(S::Error::custom("the objects cannot be converted"))
            }
        }
    }
}

/// Kind, namespace and name of an object, for messages.
fn name(object: &Value) -> String {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (kind, namespace, name) = (text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}
