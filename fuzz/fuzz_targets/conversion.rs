//! Bodies of conversion reviews: one that is answered is a ConversionReview with a uid, the answer echoes the uid, and has
//! all objects in the desired version or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use webhook::conversion::{Outcome, review};

#[derive(Deserialize)]
struct Asked {
    kind: String,
    request: AskedRequest,
}

#[derive(Deserialize)]
struct AskedRequest {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired: String,
    // The webhook decodes them only for a version that it knows.
    objects: Vec<IgnoredAny>,
}

fuzz_target!(|body: &[u8]| {
    let reviewed = match review(body) {
        Ok(reviewed) => reviewed,
        Err(error) => return assert!(error.to_string().len() < 300),
    };
    let asked: Asked = serde_json::from_slice(body).expect("what is answered is a review");
    assert_eq!(asked.kind, "ConversionReview");
    assert!(!asked.request.uid.is_empty());
    let answer: Value = serde_json::from_slice(&reviewed.body).expect("the answer is JSON");
    let response = &answer["response"];
    assert_eq!(response["uid"], asked.request.uid);
    let objects = response["convertedObjects"].as_array().expect("a list");
    match reviewed.outcome {
        Outcome::Converted(number) => {
            assert_eq!((number, objects.len()), (asked.request.objects.len(), asked.request.objects.len()));
            assert!(objects.iter().all(|object| object["apiVersion"] == asked.request.desired));
            assert_eq!(response["result"]["status"], "Success");
        }
        Outcome::Failed => {
            assert!(objects.is_empty());
            assert_eq!(response["result"]["status"], "Failure");
        }
    }
});
