//! Conversion webhooks: an object of a custom kind is stored in one version, and served in all.
//!
//! The webhook is called whenever a client reads or writes another version than the one that the object is stored in:
//! for a single object, for all objects of a list together, and for each event of a watch. Of the metadata, the webhook
//! may change labels and annotations only.

use crate::{
    admission::{ClientConfig, Target, Webhooks},
    failure::Failure,
    kinds::{self, Resource},
    server::Shared,
    uid,
};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

const V1: &str = "apiextensions.k8s.io/v1";

/// How long a webhook may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The webhook that converts the objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversion {
    target: Target,
    /// The authorities that the definition trusts, in PEM.
    ca_bundle: Vec<u8>,
}

impl Conversion {
    /// The webhook of a definition's `spec.conversion`, if that asks for one.
    pub fn parse(conversion: &Value) -> Option<Self> {
        if conversion["strategy"] != "Webhook" {
            return None;
        }
        let config = ClientConfig::deserialize(&conversion["webhook"]["clientConfig"]).ok()?;
        config.target().ok().map(|target| Self { target, ca_bundle: config.ca_bundle().to_owned() })
    }

    /// The objects in another version.
    async fn converted(
        &self,
        webhooks: &dyn Webhooks,
        kind: &str,
        desired: &str,
        objects: &[&Value],
    ) -> Result<Vec<Value>, Failure> {
        let from = objects.first().and_then(|object| object["apiVersion"].as_str()).unwrap_or_default();
        let failed = |why: &str| failure(format!("conversion webhook for {from}, Kind={kind} failed: {why}"));
        let uid = uid::random();
        let review = json!({
            "kind": "ConversionReview", "apiVersion": V1,
            "request": {"uid": uid, "desiredAPIVersion": desired, "objects": objects},
        });
        let post = |why: &str| failed(&format!("Post \"{}?timeout=30s\": {why}", self.target));
        let answer = match timeout(TIMEOUT, webhooks.call(&self.target, &self.ca_bundle, review)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(post(&error.to_string())),
            Err(_) => return Err(post("context deadline exceeded")),
        };
        let converted = response(&answer, &uid).map_err(|why| failed(&why))?;
        if converted.len() != objects.len() {
            return Err(failure(format!(
                "conversion webhook for {from}, Kind={kind} returned {} objects, expected {}",
                converted.len(),
                objects.len()
            )));
        }
        let each = objects.iter().zip(converted).enumerate().map(|(index, (before, after))| {
            restored(before, after, desired).map_err(|why| {
                failure(format!(
                    "conversion webhook for {from}, Kind={kind} returned invalid converted object at index {index}: {why}"
                ))
            })
        });
        each.collect()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    uid: String,
    #[serde(default)]
    converted_objects: Vec<Value>,
    #[serde(default)]
    result: Status,
}

#[derive(Default, Deserialize)]
struct Status {
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: String,
}

/// The objects of an answer, or why there are none.
fn response(answer: &Value, uid: &str) -> Result<Vec<Value>, String> {
    if answer["kind"] != "ConversionReview" || answer["apiVersion"] != V1 {
        return Err(format!("expected webhook response of {V1}, Kind=ConversionReview"));
    }
    let response = match answer.get("response") {
        None | Some(Value::Null) => return Err("no response provided".to_owned()),
        Some(response) => Response::deserialize(response).map_err(|error| error.to_string())?,
    };
    if response.uid != uid {
        return Err(format!("expected response.uid={uid:?}, got {:?}", response.uid));
    }
    match response.result {
        Status { status, .. } if status == "Success" => Ok(response.converted_objects),
        Status { status, message } if message.is_empty() => {
            Err(format!("response.result.status was {status:?}, not \"Success\""))
        }
        Status { message, .. } => Err(message),
    }
}

/// The object after its conversion, with the metadata that it had.
fn restored(before: &Value, mut after: Value, desired: &str) -> Result<Value, String> {
    if after["apiVersion"] != desired {
        return Err(format!("invalid groupVersion: expected {desired}, got {}", after["apiVersion"]));
    }
    if after["kind"] != before["kind"] {
        return Err(format!("invalid kind: expected {}, got {}", before["kind"], after["kind"]));
    }
    for (field, name) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let [was, is] = [before, &after].map(|object| &object["metadata"][field]);
        if was != is {
            return Err(format!("must have the same {name}: {is} != {was}"));
        }
    }
    let mut metadata = before["metadata"].clone();
    for field in ["labels", "annotations"] {
        let changed = after["metadata"][field].take();
        match metadata.as_object_mut() {
            Some(metadata) if changed.is_null() => _ = metadata.remove(field),
            Some(metadata) => _ = metadata.insert(field.to_owned(), changed),
            None => {}
        }
    }
    after["metadata"] = metadata;
    Ok(after)
}

fn failure(message: String) -> Failure {
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
}

impl Shared {
    /// Stored objects in the form in which `resource` is served.
    pub async fn shown(&self, resource: &Resource, stored: &[Arc<Value>]) -> Result<Vec<Value>, Failure> {
        let served = resource.api_version();
        let Some(conversion) = &resource.conversion else {
            return Ok(stored.iter().map(|object| kinds::from_stored(resource, object)).collect());
        };
        let is_other = |object: &&Arc<Value>| object["apiVersion"] != *served;
        let others: Vec<&Value> = stored.iter().filter(is_other).map(|object| &**object).collect();
        let mut converted = if others.is_empty() {
            Vec::new().into_iter()
        } else {
            let webhooks = &*self.webhooks;
            conversion.converted(webhooks, &resource.kind, &served, &others).await?.into_iter()
        };
        let shown = stored.iter().map(|object| {
            let converted = if is_other(&object) { converted.next() } else { None };
            kinds::from_stored(resource, converted.as_ref().unwrap_or(object))
        });
        Ok(shown.collect())
    }

    /// One stored object in the form in which `resource` is served.
    pub async fn shown_one(&self, resource: &Resource, stored: &Arc<Value>) -> Result<Value, Failure> {
        let shown = self.shown(resource, std::slice::from_ref(stored)).await?;
        shown.into_iter().next().ok_or_else(|| failure("the object is missing".to_owned()))
    }

    /// An object in the form in which it is stored, from the one in which `resource` is served.
    pub async fn to_store(&self, resource: &Resource, object: Value) -> Result<Value, Failure> {
        let stored = resource.storage_api_version();
        let object = match &resource.conversion {
            Some(conversion) if resource.api_version() != stored => {
                let webhooks = &*self.webhooks;
                let converted = conversion.converted(webhooks, &resource.kind, &stored, &[&object]).await?;
                converted.into_iter().next().unwrap_or(object)
            }
            _ => object,
        };
        Ok(kinds::to_stored(resource, object))
    }
}
