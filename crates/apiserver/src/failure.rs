//! How a request fails: with the `Status` that kube-apiserver would send.

use http::StatusCode;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A failed request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub code: StatusCode,
    /// The machine-readable reason; empty for none. Webhooks choose their own.
    pub reason: Cow<'static, str>,
    pub message: String,
    /// What `details` holds; empty for none.
    pub details: Map<String, Value>,
    /// Seconds for the `Retry-After` header, for a temporary failure.
    pub retry_after: Option<u32>,
    /// Where a list can continue in spite of the failure.
    pub continue_token: Option<String>,
    /// Whether the request failed before its kind was known. Then the details are empty.
    generic: bool,
}

/// One problem with one field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cause {
    pub fault: Fault,
    /// As in `spec.template.spec.containers[0].name`.
    pub field: String,
    /// What follows the field's name: `Invalid value: "x": must be shorter`.
    pub message: String,
}

/// The type of a problem with a field, with the names of `metav1.CauseType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    Forbidden,
    TooLong,
    TooMany,
    TypeInvalid,
    NotFound,
}

impl Fault {
    /// Its name.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotFound => "FieldValueNotFound",
        }
    }
}

impl Cause {
    /// The whole message. For the object as a whole, it has no field.
    fn line(&self) -> String {
        let field = if self.field.is_empty() { "[]" } else { &self.field };
        format!("{field}: {}", self.message)
    }

    /// `field: Required value[: detail]`
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        let message =
            if detail.is_empty() { "Required value".into() } else { format!("Required value: {detail}") };
        Self { fault: Fault::Required, field: field.into(), message }
    }

    /// `field: Invalid value: VALUE: detail`, the value as Kubernetes prints it.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self {
            fault: Fault::Invalid,
            field: field.into(),
            message: format!("Invalid value: {}: {}", shown(value), detail.as_ref()),
        }
    }

    /// `field: Forbidden: detail`
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self { fault: Fault::Forbidden, field: field.into(), message: format!("Forbidden: {detail}") }
    }

    /// `field: Duplicate value: VALUE`
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self {
            fault: Fault::Duplicate,
            field: field.into(),
            message: format!("Duplicate value: {}", shown(value)),
        }
    }

    /// `field: Not found: VALUE`
    pub fn not_found(field: impl Into<String>, value: &Value) -> Self {
        Self { fault: Fault::NotFound, field: field.into(), message: format!("Not found: {}", shown(value)) }
    }

    /// `field: Too long: may not be more than N bytes`
    pub fn too_long(field: impl Into<String>, most: usize) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let message = format!("Too long: may not be more than {most} {bytes}");
        Self { fault: Fault::TooLong, field: field.into(), message }
    }

    /// `field: Unsupported value: VALUE: supported values: "a", "b"`
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let supported = supported.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        Self {
            fault: Fault::NotSupported,
            field: field.into(),
            message: format!("Unsupported value: {}: supported values: {supported}", shown(value)),
        }
    }
}

/// A value as Go's field errors print it: strings quoted, whole objects as JSON.
fn shown(value: &Value) -> String {
    value.to_string()
}

impl Failure {
    pub fn new(code: StatusCode, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Map::new(),
            retry_after: None,
            continue_token: None,
            generic: false,
        }
    }

    /// A failure of the request, not of its object.
    pub fn generic(code: StatusCode, reason: &'static str, message: impl Into<String>) -> Self {
        Self { generic: true, ..Self::new(code, reason, message) }
    }

    /// The server itself, or a webhook that it depends on, failed.
    pub fn internal(why: impl Into<String>) -> Self {
        let why = why.into();
        let message = format!("Internal error occurred: {why}");
        let mut failure = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", message);
        failure.details.insert("causes".into(), json!([{ "message": why }]));
        failure
    }

    /// The client did not authenticate itself as a known user.
    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized")
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// No such object. `resource` is `plural` or `plural.group`.
    pub fn not_found(group: &str, plural: &str, name: &str) -> Self {
        Self::about(StatusCode::NOT_FOUND, "NotFound", group, plural, name, "not found")
    }

    pub fn already_exists(group: &str, plural: &str, name: &str) -> Self {
        Self::about(StatusCode::CONFLICT, "AlreadyExists", group, plural, name, "already exists")
    }

    /// The object is not in the state that the client expects.
    pub fn conflict(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let qualified = qualified(plural, group);
        let mut failure = Self::new(
            StatusCode::CONFLICT,
            "Conflict",
            format!("Operation cannot be fulfilled on {qualified} {name:?}: {why}"),
        );
        failure.details = named(group, plural, name);
        failure
    }

    pub fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let message = if plural.is_empty() {
            format!("forbidden: {why}")
        } else if name.is_empty() {
            format!("{} is forbidden: {why}", qualified(plural, group))
        } else {
            format!("{} {name:?} is forbidden: {why}", qualified(plural, group))
        };
        let mut failure = Self::new(StatusCode::FORBIDDEN, "Forbidden", message);
        failure.details = named(group, plural, name);
        failure.generic = plural.is_empty();
        failure
    }

    /// The object breaks rules of its kind.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: &[Cause]) -> Self {
        let lines: Vec<String> = causes.iter().map(Cause::line).collect();
        let problems = match lines.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let mut failure = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Invalid",
            format!("{} {name:?} is invalid: {problems}", qualified(kind, group)),
        );
        failure.details = named(group, kind, name);
        let causes = causes
            .iter()
            .map(|cause| json!({"reason": cause.fault.reason(), "message": cause.message, "field": cause.field}))
            .collect();
        failure.details.insert("causes".into(), Value::Array(causes));
        failure
    }

    fn about(
        code: StatusCode,
        reason: &'static str,
        group: &str,
        plural: &str,
        name: &str,
        what: &str,
    ) -> Self {
        let mut failure = Self::new(code, reason, format!("{} {name:?} {what}", qualified(plural, group)));
        failure.details = named(group, plural, name);
        failure
    }

    /// The same failure with one expression replaced by another wherever it occurs.
    pub fn reworded(mut self, from: &str, to: &str) -> Self {
        self.message = self.message.replace(from, to);
        for cause in self.details.get_mut("causes").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(message) = cause["message"].as_str() {
                cause["message"] = message.replace(from, to).into();
            }
        }
        self
    }

    /// The `Status` object.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code.as_u16(),
        });
        if let Some(token) = &self.continue_token {
            status["metadata"]["continue"] = token.as_str().into();
        }
        if !self.reason.is_empty() {
            status["reason"] = self.reason.as_ref().into();
        }
        if !self.details.is_empty() || self.generic {
            status["details"] = Value::Object(self.details.clone());
        }
        status
    }
}

fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

fn named(group: &str, kind: &str, name: &str) -> Map<String, Value> {
    let mut details = Map::new();
    if !name.is_empty() {
        details.insert("name".into(), name.into());
    }
    if !group.is_empty() {
        details.insert("group".into(), group.into());
    }
    if !kind.is_empty() {
        details.insert("kind".into(), kind.into());
    }
    details
}
