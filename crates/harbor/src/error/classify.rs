//! The failure mode behind the status and the body of an answer.

use super::{Dependency, Failure, Masks, Message};
use http::StatusCode;
use serde::Deserialize;

/// The body of every error of Core.
#[derive(Debug, Default, Deserialize)]
struct Body {
    #[serde(default)]
    errors: Vec<Entry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    code: String,
    message: String,
}

/// Whether Harbor contacts another system before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Checks {
    /// It answers by itself.
    #[default]
    Nothing,
    /// It contacts a registry or a scanner. If that one does not answer, some requests fail with 500.
    Remote,
}

/// Why a request failed that was answered with this status, other than 2xx and 401.
pub(crate) fn failure(status: StatusCode, body: &[u8], checks: Checks, masks: &Masks) -> Failure {
    // An error with another body is not Core's but that of a proxy, or of a panic.
    let own = serde_json::from_slice::<Body>(body).ok().filter(|body| !body.errors.is_empty());
    let entries = own.as_ref().map_or(&[][..], |body| &body.errors);
    let text = entries.iter().map(|entry| entry.message.as_str()).collect::<Vec<_>>().join("; ");
    let denied = entries.iter().any(|entry| entry.code == "DENIED");
    let message = Message::masked(&text, masks);
    let on = |on| Failure::Dependency { on, message: message.clone() };
    match status {
        StatusCode::BAD_REQUEST => match dependency(&text) {
            Some(dependency) => on(dependency),
            None => Failure::Invalid(message),
        },
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => Failure::Invalid(message),
        StatusCode::FORBIDDEN if denied && text.starts_with("The system is in read only mode") => {
            Failure::ReadOnly
        }
        StatusCode::FORBIDDEN => Failure::Forbidden(message),
        // Otherwise the 404 of a proxy would look like a deleted object.
        StatusCode::NOT_FOUND if own.is_none() => {
            Failure::Unexpected(Message::new("a status 404 that is not from Harbor"))
        }
        StatusCode::NOT_FOUND if text.starts_with("path ") && text.ends_with(" was not found") => {
            Failure::Unsupported(message)
        }
        StatusCode::NOT_FOUND => Failure::NotFound(message),
        StatusCode::METHOD_NOT_ALLOWED => Failure::Unsupported(message),
        StatusCode::CONFLICT => Failure::Conflict(message),
        StatusCode::PRECONDITION_FAILED if text.starts_with("no scanner is configured") => {
            on(Dependency::Scanner)
        }
        StatusCode::PRECONDITION_FAILED => Failure::InUse(message),
        StatusCode::INTERNAL_SERVER_ERROR if checks == Checks::Remote => on(Dependency::LiveCheck),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Failure::ServerFailure { status, message }
        }
        status if status.is_redirection() => {
            Failure::Unexpected(Message::new("a redirect, which Harbor does not send"))
        }
        status => Failure::Unexpected(Message::new(&format!("status {}", status.as_u16()))),
    }
}

/// The system that a refused request depends on, told by the only hint there is, the text.
fn dependency(text: &str) -> Option<Dependency> {
    [
        ("the registry is unhealthy", Dependency::Registry),
        ("could not connect to the audit endpoint", Dependency::AuditEndpoint),
        ("LDAP Group DN is not found", Dependency::LdapGroup),
        ("failed to verify connection", Dependency::OidcProvider),
    ]
    .into_iter()
    .find_map(|(hint, dependency)| text.contains(hint).then_some(dependency))
}

#[cfg(test)]
mod tests {
    use super::{Checks, failure};
    use crate::error::{Class, Dependency, Failure, Masks, Message};
    use http::StatusCode;
    use proptest::prelude::*;
    use serde_json::json;

    fn answer(status: u16, code: &str, message: &str) -> Failure {
        let body = json!({"errors": [{"code": code, "message": message}]}).to_string();
        failed(status, body.as_bytes(), Checks::Nothing)
    }

    fn failed(status: u16, body: &[u8], checks: Checks) -> Failure {
        failure(StatusCode::from_u16(status).unwrap(), body, checks, &Masks::default())
    }

    fn on(on: Dependency, message: &str) -> Failure {
        Failure::Dependency { on, message: Message::new(message) }
    }

    #[test]
    fn answers_of_real_harbors_have_the_right_failure_mode() {
        let read_only = "The system is in read only mode. Any modification is prohibited.";
        let no_path = "path /api/v2.0/permissions was not found";
        let audit = "bad request: could not connect to the audit endpoint: 127.0.0.1:9";
        let group = "LDAP Group DN is not found: DN:cn=l,dc=example,dc=org";
        let scope = "permission scope is invalid. It must be equal to or more restrictive than the creator's";
        let scanner = "no scanner is configured, it's not possible to scan";
        let cases = [
            (
                400,
                "BAD_REQUEST",
                "email can't be empty",
                Failure::Invalid(Message::new("email can't be empty")),
            ),
            (
                400,
                "BAD_REQUEST",
                "the registry is unhealthy",
                on(Dependency::Registry, "the registry is unhealthy"),
            ),
            (400, "BAD_REQUEST", audit, on(Dependency::AuditEndpoint, audit)),
            (400, "BAD_REQUEST", group, on(Dependency::LdapGroup, group)),
            (403, "FORBIDDEN", "robot$sys", Failure::Forbidden(Message::new("robot$sys"))),
            (403, "DENIED", read_only, Failure::ReadOnly),
            (403, "DENIED", scope, Failure::Forbidden(Message::new(scope))),
            (404, "NOT_FOUND", "robot 3 not found", Failure::NotFound(Message::new("robot 3 not found"))),
            (404, "NOT_FOUND", no_path, Failure::Unsupported(Message::new(no_path))),
            (409, "UNKNOWN", "url already exists", Failure::Conflict(Message::new("url already exists"))),
            (
                412,
                "PRECONDITION",
                "the policy 5 is disabled",
                Failure::InUse(Message::new("the policy 5 is disabled")),
            ),
            (412, "PRECONDITION", scanner, on(Dependency::Scanner, scanner)),
            (422, "UNPROCESSABLE_ENTITY", "list:\nname", Failure::Invalid(Message::new("list: name"))),
        ];
        for (status, code, message, expected) in cases {
            assert_eq!(answer(status, code, message), expected, "{status} {message}");
        }
    }

    #[test]
    fn a_404_of_a_proxy_is_not_a_missing_object() {
        let failure = failed(404, b"<html><head><title>404 Not Found</title></head></html>", Checks::Nothing);
        assert_eq!(failure, Failure::Unexpected(Message::new("a status 404 that is not from Harbor")));
    }

    #[test]
    fn a_panic_of_core_is_a_failure_of_the_server() {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        let expected = Failure::ServerFailure { status, message: Message::default() };
        assert_eq!(failed(500, b"", Checks::Nothing), expected);
    }

    #[test]
    fn a_500_while_harbor_checks_a_remote_system_may_be_the_fault_of_that_system() {
        let body = br#"{"errors":[{"code":"UNKNOWN","message":"internal server error"}]}"#;
        assert_eq!(failed(500, body, Checks::Remote), on(Dependency::LiveCheck, "internal server error"));
        assert_eq!(failed(503, b"", Checks::Remote).class(), Class::Transient);
    }

    proptest! {
        #[test]
        fn any_body_gives_a_failure(status in 400_u16..600, body in proptest::collection::vec(any::<u8>(), 0..300)) {
            failed(status, &body, Checks::Nothing);
        }
    }
}
