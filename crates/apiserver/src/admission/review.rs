//! The AdmissionReview that a webhook is sent, and the one that it answers with.

use super::attributes::{Attributes, Equivalent};
use crate::failure::Failure;
use http::StatusCode;
use k8s_openapi::ByteString;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;

const V1: &str = "admission.k8s.io/v1";

/// Whether webhooks may change the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Mutating,
    Validating,
}

/// What a webhook answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub verdict: Verdict,
    pub warnings: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Verdict {
    Allowed { patch: Option<Vec<u8>> },
    Denied(Failure),
}

/// The review of a write, in the version that the webhook accepts.
pub(super) fn request(uid: &str, write: &Attributes<'_>, name: &Equivalent, object: Option<&Value>) -> Value {
    let mut request = json!({
        "uid": uid,
        "kind": { "group": name.group, "version": name.version, "kind": name.kind },
        "resource": { "group": name.group, "version": name.version, "resource": name.plural },
        "requestKind": { "group": write.group, "version": write.version, "kind": write.kind },
        "requestResource": { "group": write.group, "version": write.version, "resource": write.plural },
        "operation": write.operation.word(),
        "userInfo": write.user.info(),
        "object": named(object, name),
        "oldObject": named(write.old, name),
        "dryRun": write.dry_run,
        "options": write.options,
    });
    let names = [
        ("name", write.name),
        ("namespace", write.effective_namespace()),
        ("subResource", write.subresource),
        ("requestSubResource", write.subresource),
    ];
    for (field, text) in names.into_iter().filter(|(_, text)| !text.is_empty()) {
        request[field] = text.into();
    }
    json!({ "kind": "AdmissionReview", "apiVersion": V1, "request": request })
}

/// The object in the kind and version of `name`.
pub(super) fn named(object: Option<&Value>, name: &Equivalent) -> Value {
    let Some(object) = object else { return Value::Null };
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        let version = match name.group.as_str() {
            "" => name.version.clone(),
            group => format!("{group}/{}", name.version),
        };
        fields.insert("apiVersion".into(), version.into());
        fields.insert("kind".into(), name.kind.as_str().into());
    }
    object
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    uid: String,
    #[serde(default)]
    allowed: bool,
    #[serde(default)]
    status: Value,
    #[serde(default)]
    patch: Option<ByteString>,
    patch_type: Option<String>,
    #[serde(default)]
    warnings: Option<Vec<String>>,
}

/// The answer of a webhook, or why it is invalid.
pub(super) fn answer(review: &Value, uid: &str, hook: &str, phase: Phase) -> Result<Answer, String> {
    let invalid = |why: String| format!("received invalid webhook response: {why}");
    let response = match review.get("response") {
        None | Some(Value::Null) => return Err(invalid("webhook response was absent".into())),
        Some(response) => Response::deserialize(response).map_err(|error| invalid(error.to_string()))?,
    };
    if response.uid != uid {
        return Err(invalid(format!("expected response.uid={uid:?}, got {:?}", response.uid)));
    }
    let (version, kind) = (review["apiVersion"].as_str(), review["kind"].as_str());
    if (version, kind) != (Some(V1), Some("AdmissionReview")) {
        let got = format!("{}, Kind={}", version.unwrap_or("/"), kind.unwrap_or_default());
        return Err(invalid(format!("expected webhook response of {V1}, Kind=AdmissionReview, got {got}")));
    }
    let patch = response.patch.map(|bytes| bytes.0).filter(|bytes| !bytes.is_empty());
    let misfit = match (phase, &patch, response.patch_type.as_deref()) {
        (Phase::Mutating, Some(_), None) => {
            Some("webhook returned response.patch but not response.patchType")
        }
        (Phase::Mutating, None, Some(_)) => {
            Some("webhook returned response.patchType but not response.patch")
        }
        (Phase::Mutating, Some(_), Some("")) => Some("webhook returned invalid response.patchType of \"\""),
        (Phase::Validating, Some(_), _) => Some("validating webhook may not return response.patch"),
        (Phase::Validating, None, Some(_)) => Some("validating webhook may not return response.patchType"),
        _ => None,
    };
    if let Some(misfit) = misfit {
        return Err(invalid(misfit.into()));
    }
    let verdict = if !response.allowed {
        Verdict::Denied(denial(hook, &response.status))
    } else if let (Some(patch), Some(kind)) = (patch, response.patch_type) {
        let operations: Vec<Value> = serde_json::from_slice(&patch)
            .map_err(|error| format!("received undecodable patch in webhook response: {error}"))?;
        if kind != "JSONPatch" {
            return Err(format!("unsupported patch type {kind:?}"));
        }
        Verdict::Allowed { patch: (!operations.is_empty()).then_some(patch) }
    } else {
        Verdict::Allowed { patch: None }
    };
    Ok(Answer { verdict, warnings: response.warnings.unwrap_or_default() })
}

/// The failure of a write that a webhook denies.
fn denial(hook: &str, status: &Value) -> Failure {
    let text = |field: &str| status[field].as_str().unwrap_or_default();
    let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let code = code
        .and_then(|code| StatusCode::from_u16(code).ok())
        .filter(|code| *code >= StatusCode::BAD_REQUEST)
        .unwrap_or(StatusCode::BAD_REQUEST);
    let denied = format!("admission webhook {hook:?} denied the request");
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("{denied} without explanation"),
        ("", reason) => format!("{denied}: {reason}"),
        (message, _) => format!("{denied}: {message}"),
    };
    let mut failure = Failure::new(code, Cow::Owned(text("reason").to_owned()), message);
    failure.details = status["details"].as_object().cloned().unwrap_or_default();
    failure.retry_after =
        failure.details.get("retryAfterSeconds").and_then(Value::as_u64).and_then(|s| s.try_into().ok());
    failure
}
