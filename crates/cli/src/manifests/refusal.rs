//! Why the API server does not take an object, and what to do about it.

use super::{apply::Purpose, object::Object};
use crate::{
    connect::{unanswered, unauthenticated},
    output::Error,
};
use kube::core::{GroupVersionKind, Status};
use plan::Violation;

/// The subject of errors that are not about the object. The command has connected to its address before.
const SERVER: &str = "the API server";

/// The API server does not serve the kind of the object.
pub fn unserved(object: &Object, kind: &GroupVersionKind, purpose: &Purpose) -> Error {
    let problem = format!("the API server does not serve the kind {} in {}", kind.kind, kind.api_version());
    let remedy = if purpose.is_real() {
        "correct apiVersion and kind, or give its CustomResourceDefinition in an earlier --apply"
    } else {
        "correct apiVersion and kind, or install its CustomResourceDefinition"
    };
    Error::input(object.place(), problem, remedy)
}

/// A request for the object failed.
pub fn explain(object: &Object, purpose: &Purpose, error: &kube::Error) -> Error {
    match error {
        kube::Error::Api(status) => answered(object, purpose, status),
        error => about_the_server(object, unanswered(SERVER, error)),
    }
}

fn answered(object: &Object, purpose: &Purpose, status: &Status) -> Error {
    let Status { code, message, .. } = status;
    let refused = |remedy: &str| Error::input(object.place(), message, remedy);
    match *code {
        401 => about_the_server(object, unauthenticated(SERVER)),
        403 if lacks_permission(message) => refused(if purpose.is_real() {
            "give that user this permission, or use another user"
        } else {
            "give that user this permission, which a dry run needs, too, or use another user"
        }),
        403 => refused("change the object, or the quota or admission policy that refuses it"),
        404 if is_missing_namespace(status) => missing_namespace(object, purpose),
        409 => refused(if purpose.is_real() {
            "remove the fields from the file, or change them with the tool that owns them"
        } else {
            "remove the fields from the file, change them with the tool that owns them, or give --force-conflicts"
        }),
        429 => Error::input(
            object.place(),
            format!("the API server has too many requests (429: {message})"),
            "try again later",
        ),
        500.. if message.contains("webhook") => refused("check that the Service of this webhook answers"),
        500.. => Error::input(
            object.place(),
            format!("the API server failed ({code}: {message})"),
            "try again, or check its log",
        ),
        _ => refused("correct the object"),
    }
}

fn missing_namespace(object: &Object, purpose: &Purpose) -> Error {
    let named = object.key.namespace.as_str();
    let namespace = if named.is_empty() { purpose.namespace() } else { named };
    let remedy = if purpose.is_real() {
        format!("give a Namespace called {namespace} in an earlier --apply")
    } else {
        "create it first: a dry run needs the namespace".to_owned()
    };
    Error::input(object.place(), format!("the namespace {namespace} does not exist"), remedy)
}

fn about_the_server(object: &Object, violation: Violation) -> Error {
    let Violation { subject, problem, remedy } = violation;
    Error::input(object.place(), format!("{subject}: {problem}"), remedy)
}

/// Whether RBAC refused the request. Quotas and admission policies answer with 403, too, and only the words differ.
fn lacks_permission(message: &str) -> bool {
    message.split_once("User \"").is_some_and(|(_, rest)| rest.contains("\" cannot "))
}

fn is_missing_namespace(status: &Status) -> bool {
    status.details.as_ref().is_some_and(|details| details.kind == "namespaces")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io;

    fn said(error: &kube::Error) -> String {
        let metadata = json!({"name": "acme", "namespace": "r"});
        let content = json!({"apiVersion": "goharbor.io/v1beta1", "kind": "Harbor", "metadata": metadata});
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content.to_string()).unwrap();
        let document = crate::manifests::read_file(file.path()).unwrap().remove(0);
        let object = Object::all(document).unwrap().remove(0);
        let purpose = Purpose::DryRun { namespace: "r".into(), manager: "kubectl".into(), force: false };
        let said = explain(&object, &purpose, error).to_string();
        said.strip_prefix(&format!("{}: ", object.place())).unwrap().to_owned()
    }

    fn answer(code: u16, message: &str) -> String {
        said(&kube::Error::Api(Box::new(Status::failure(message, "").with_code(code))))
    }

    #[test]
    fn each_answer_has_its_own_cause_and_remedy() {
        let forbidden =
            "harbors.goharbor.io \"acme\" is forbidden: User \"jane\" cannot patch resource \"harbors\"";
        let quota = "secrets \"a\" is forbidden: exceeded quota: few";
        let webhook = "Internal error occurred: failed calling webhook \"v.example.com\": EOF";
        for (code, message, expected) in [
            (
                401,
                "Unauthorized",
                "the API server: does not accept the credentials (401 Unauthorized); \
                 log in again, or name a kubeconfig whose token or certificate is valid"
                    .to_owned(),
            ),
            (
                403,
                forbidden,
                format!(
                    "{forbidden}; give that user this permission, which a dry run needs, too, or use another user"
                ),
            ),
            (
                403,
                quota,
                format!("{quota}; change the object, or the quota or admission policy that refuses it"),
            ),
            (422, "spec.version: Required", "spec.version: Required; correct the object".into()),
            (
                429,
                "slow down",
                "the API server has too many requests (429: slow down); try again later".into(),
            ),
            (500, webhook, format!("{webhook}; check that the Service of this webhook answers")),
            (503, "starting", "the API server failed (503: starting); try again, or check its log".into()),
        ] {
            assert_eq!(answer(code, message), expected);
        }
    }

    #[test]
    fn a_connection_that_ends_is_not_the_fault_of_the_object() {
        let reset = io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(
            said(&kube::Error::Service(reset.into())),
            "the API server: it closed the connection; \
             check that the port is that of the API server, and that it speaks TLS"
        );
    }
}
