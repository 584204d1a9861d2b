//! Finds the fields of an object that contain a text, for messages about invalid names.

use crate::{ObjectKey, PlanError};
use serde::Serialize;
use serde_json::Value;

/// How many characters of a name a message quotes.
const QUOTED: usize = 80;

/// Returns the fields of an object that contain a text, if there are any.
pub(crate) type Places<'a> = &'a dyn Fn(&str) -> Option<String>;

/// For names whose fields are unknown.
pub(crate) const NOWHERE: Places<'static> = &|_| None;

/// The fields in an object's spec that contain a text, such as `spec.redis.passwordRef`.
pub(crate) fn of(owner: &impl Serialize, text: &str) -> Option<String> {
    let owner = serde_json::to_value(owner).ok()?;
    let mut found = Vec::new();
    holding(owner.get("spec")?, "spec".to_owned(), text, &mut found);
    if text.is_empty() {
        // Many fields may be empty: keep only those that name an object.
        found.retain(|path| path.contains("Ref") || path.ends_with("ame"));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

fn holding(value: &Value, path: String, text: &str, found: &mut Vec<String>) {
    match value {
        Value::String(it) if it == text => found.push(path),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                holding(item, format!("{path}[{index}]"), text, found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                holding(field, format!("{path}.{name}"), text, found);
            }
        }
        _ => {}
    }
}

/// The error for a key whose name is invalid.
pub(crate) fn misnamed(key: &ObjectKey, places: Places<'_>) -> PlanError {
    let quoted: String = key.name.chars().take(QUOTED).collect();
    let more = if quoted.len() < key.name.len() { "…" } else { "" };
    let subject = places(&key.name).unwrap_or_else(|| format!("a {}", key.kind));
    PlanError::invalid(
        subject,
        format!("{quoted:?}{more} cannot be the name of a {}", key.kind),
        "use at most 253 lower-case letters, digits, dashes and dots, with letters or digits at both ends",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    #[test]
    fn every_field_that_contains_an_invalid_name_is_listed() {
        let owner = json!({"spec": {"a": {"passwordRef": "../x"}, "certificateRefs": ["b", "../x"]}});
        let places = |text: &str| of(&owner, text);
        let error = misnamed(&ObjectKey::of::<Secret>("ns", "../x"), &places).to_string();
        assert!(
            error.starts_with(
                "spec.a.passwordRef, spec.certificateRefs[1]: \"../x\" cannot be the name of a Secret; use at most 253"
            ),
            "{error}"
        );
    }

    #[test]
    fn a_name_that_no_field_contains_is_quoted_and_an_empty_name_is_searched_in_reference_fields() {
        let owner = json!({"spec": {"prefix": "", "passwordRef": ""}});
        let error =
            |name: &str| misnamed(&ObjectKey::of::<Secret>("ns", name), &|text| of(&owner, text)).to_string();
        assert!(error("").starts_with("spec.passwordRef: \"\" cannot be"), "{}", error(""));
        let long = error(&"X".repeat(5000));
        assert!(long.starts_with("a Secret: \"XX") && long.len() < 300, "{long}");
    }
}
