//! Refusals, as Harbor writes them: `{"errors":[{"code":"…","message":"…"}]}`.

use http::StatusCode;
use serde_json::{Value, json};

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: StatusCode,
    code: &'static str,
    message: String,
    cause: Cause,
}

/// Which part of a server refuses. It decides about headers and the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The code behind an endpoint.
    Handler,
    /// The generated code that reads parameters and bodies.
    Parameters,
    /// A filter before the session begins, so that no session cookie is set.
    Filter,
    /// A crash: there is no body.
    Panic,
}

impl Failure {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), cause: Cause::Handler }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message)
    }

    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "unauthorized")
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
    }

    /// A modification that is not allowed at the moment, or goes too far.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "DENIED", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "CONFLICT", message)
    }

    pub fn precondition(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PRECONDITION_FAILED, "PRECONDITION", message)
    }

    pub fn method_not_allowed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message)
    }

    /// A parameter or a body that the generated code does not take.
    pub fn unprocessable(problem: &str) -> Self {
        let message = format!("validation failure list:\n{problem}");
        Self {
            cause: Cause::Parameters,
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "UNPROCESSABLE_ENTITY", message)
        }
    }

    pub fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", "the request body is too large")
    }

    /// Whatever Harbor does not map to another status; the cause is only in its log.
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "UNKNOWN", "internal server error")
    }

    /// A crash of the handler.
    pub fn panic() -> Self {
        Self { cause: Cause::Panic, ..Self::internal() }
    }

    /// The same refusal, with another code than its status usually has.
    pub fn coded(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    /// The same refusal by a filter, before the session begins.
    pub fn by_filter(self) -> Self {
        Self { cause: Cause::Filter, ..self }
    }

    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// The body.
    pub fn body(&self) -> Value {
        json!({ "errors": [{ "code": self.code, "message": self.message }] })
    }
}
