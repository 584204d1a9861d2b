//! Options of a deletion, from the body of a DELETE, or from its query if there is no body.

use super::{Query, WriteOptions};
use crate::{
    failure::{Cause, Failure},
    protobuf,
    write::{media_type, unknown_format, yaml},
};
use serde::Deserialize;
use serde_json::json;

/// What happens to the dependents of a deleted object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// Options of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    pub dry_run: bool,
    pub grace_period_seconds: Option<i64>,
    pub propagation: Option<Propagation>,
    /// The old form of `propagation`. With it, an unfinished deletion is answered with 202.
    pub orphan_dependents: Option<bool>,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Body {
    kind: Option<String>,
    grace_period_seconds: Option<i64>,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    dry_run: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl DeleteOptions {
    pub fn parse(query: &Query, content_type: Option<&str>, body: &[u8]) -> Result<Self, Failure> {
        let body: Body = if body.iter().all(u8::is_ascii_whitespace) {
            Body {
                grace_period_seconds: query.number("gracePeriodSeconds")?,
                propagation_policy: query.get("propagationPolicy").map(str::to_owned),
                orphan_dependents: query.flag("orphanDependents"),
                ..Body::default()
            }
        } else {
            let malformed =
                |error| Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}"));
            match media_type(content_type) {
                "" | "application/json" => serde_json::from_slice(body).map_err(malformed)?,
                "application/yaml" => serde_json::from_value(yaml(body)?.object).map_err(malformed)?,
                protobuf::MEDIA_TYPE => {
                    serde_json::from_value(protobuf::delete_options(body)?).map_err(malformed)?
                }
                _ => {
                    return Err(unknown_format(
                        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
                    ));
                }
            }
        };
        if body.kind.as_deref().is_some_and(|kind| kind != "DeleteOptions") {
            return Err(Failure::bad_request("decoded object cannot be converted to DeleteOptions"));
        }
        let invalid = |cause| Failure::invalid("meta.k8s.io", "DeleteOptions", "", &[cause]);
        let mut dry_run = WriteOptions::parse(query, "DeleteOptions")?.dry_run;
        for word in body.dry_run.unwrap_or_default() {
            if word != "All" {
                return Err(invalid(Cause::not_supported("dryRun", &json!([word]), &["All"])));
            }
            dry_run = true;
        }
        if body.orphan_dependents.is_some() && body.propagation_policy.is_some() {
            return Err(invalid(Cause::invalid(
                "propagationPolicy",
                &json!(body.propagation_policy),
                "orphanDependents and deletionPropagation cannot be both set",
            )));
        }
        let propagation = match body.propagation_policy.as_deref() {
            None => None,
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(word) => {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                return Err(invalid(Cause::not_supported("propagationPolicy", &json!(word), &supported)));
            }
        };
        let preconditions = body.preconditions.unwrap_or_default();
        Ok(Self {
            dry_run,
            grace_period_seconds: body.grace_period_seconds,
            propagation,
            orphan_dependents: body.orphan_dependents,
            uid: preconditions.uid,
            resource_version: preconditions.resource_version,
        })
    }
}
