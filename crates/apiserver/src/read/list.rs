//! Lists: whole or in pages, at the current or an earlier revision.

use super::{Selection, expired};
use crate::{
    failure::Failure,
    kinds::Resource,
    request::{ListOptions, Version},
    state::State,
    store::Compacted,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

/// The answer to a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    /// As they are stored.
    pub items: Vec<Arc<Value>>,
    /// `resourceVersion`, `continue` and `remainingItemCount`.
    pub metadata: Value,
}

/// Where the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    /// The revision that all pages show; None for a list that continues with the current objects.
    revision: Option<u64>,
    /// Namespace and name of the last item.
    after: (String, String),
}

/// Lists a collection.
pub(crate) fn list(
    state: &mut State,
    resource: &Resource,
    selection: &Selection,
    options: &ListOptions,
) -> Result<Page, Failure> {
    let now = state.store.revision();
    let token = options.continue_token.as_deref().map(Token::decode).transpose()?;
    if let Some(Version::NotOlderThan(wanted) | Version::Exact(wanted)) = options.version
        && wanted > now
    {
        return Err(too_large(wanted, now));
    }
    let at = match (&token, options.version) {
        (Some(_), Some(Version::Exact(_) | Version::NotOlderThan(_))) => {
            return Err(Failure::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        (Some(token), _) => token.revision,
        (None, Some(Version::Exact(revision))) => Some(revision),
        (None, _) => None,
    };
    let collection = state.store.collection(&resource.storage_group, &resource.storage_plural);
    let namespace = selection.namespace.as_deref();
    let objects: Vec<Arc<Value>> = match at {
        Some(revision) => collection
            .objects_at(namespace, revision)
            .map_err(|compacted| too_old(token.as_ref(), compacted))?,
        None => collection.objects(namespace).cloned().collect(),
    };
    let mut left = objects.into_iter().filter(|object| {
        token.as_ref().is_none_or(|token| place(object) > (token.after.0.as_str(), token.after.1.as_str()))
    });
    let revision = at.unwrap_or(now);
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    let limit = options.limit.unwrap_or(usize::MAX);
    let items: Vec<Arc<Value>> =
        left.by_ref().filter(|object| selection.selects(object)).take(limit).collect();
    // As in Kubernetes, the remaining objects are counted before selectors are applied.
    let left = left.count();
    if left > 0
        && let Some(last) = items.last()
    {
        let (namespace, name) = place(last);
        let after = (namespace.to_owned(), name.to_owned());
        metadata["continue"] = Token { revision: Some(revision), after }.encode().into();
        if !selection.narrows() {
            metadata["remainingItemCount"] = left.into();
        }
    }
    Ok(Page { items, metadata })
}

/// A revision that does not exist yet.
pub(crate) fn too_large(wanted: u64, now: u64) -> Failure {
    let mut failure = Failure::new(
        StatusCode::GATEWAY_TIMEOUT,
        "Timeout",
        format!("Timeout: Too large resource version: {wanted}, current: {now}"),
    );
    failure.details.insert(
        "causes".into(),
        json!([{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]),
    );
    failure.details.insert("retryAfterSeconds".into(), 1.into());
    failure.retry_after = Some(1);
    failure
}

fn too_old(token: Option<&Token>, compacted: Compacted) -> Failure {
    let Some(token) = token else { return expired(0, compacted.horizon) };
    let mut failure = Failure::new(
        StatusCode::GONE,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    failure.continue_token = Some(Token { revision: None, ..token.clone() }.encode());
    failure
}

fn place(object: &Value) -> (&str, &str) {
    let part = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    (part("namespace"), part("name"))
}

impl Token {
    /// Opaque to clients, and safe in a query.
    fn encode(&self) -> String {
        let revision = self.revision.map_or_else(|| "-".to_owned(), |revision| revision.to_string());
        let text = format!("{revision}/{}/{}", self.after.0, self.after.1);
        URL_SAFE_NO_PAD.encode(text)
    }

    fn decode(text: &str) -> Result<Self, Failure> {
        let malformed = || Failure::bad_request("invalid continue token: continue key is not valid");
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let decoded = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(malformed)?;
        let [revision, namespace, name] = decoded.split('/').collect::<Vec<_>>()[..] else {
            return Err(malformed());
        };
        let revision = match revision {
            "-" => None,
            number => Some(number.parse().map_err(|_| malformed())?),
        };
        Ok(Self { revision, after: (namespace.to_owned(), name.to_owned()) })
    }
}
