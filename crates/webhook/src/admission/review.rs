//! The AdmissionReview of a pod, and the answer to it.

use super::{
    pod::{Operation, Pod, Rewrite},
    sources::{Reason, Rewriting, Sources},
};
use crate::review::{self, NotAReview, ReviewApi};
use k8s_openapi::ByteString;
use serde::{Deserialize, Serialize};

const API: ReviewApi = ReviewApi { version: "admission.k8s.io/v1", kind: "AdmissionReview" };

/// The answer to a review.
#[derive(Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// The body of the answer.
    pub body: Vec<u8>,
    /// What became of the pod.
    pub outcome: Outcome,
}

/// What became of a reviewed object. It is admitted in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This many images were rewritten.
    Rewritten(usize),
    /// Nothing was to be rewritten.
    Unchanged,
    /// The object is none to rewrite, such as another kind.
    Skipped,
    /// Nothing was rewritten, because an object that rules come from is wrong or not known yet.
    WrongRules,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    uid: String,
    resource: Resource,
    sub_resource: Option<String>,
    operation: String,
    namespace: Option<String>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    group: String,
    version: String,
    #[serde(rename = "resource")]
    plural: String,
}

/// The same review, if it is about a pod.
#[derive(Deserialize)]
struct PodReview {
    request: PodRequest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodRequest {
    object: Pod,
    #[serde(default)]
    old_object: Option<Pod>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<ByteString>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Status {
    message: &'static str,
}

/// Which images of a pod a request may change.
enum Subject {
    /// All, because the pod is created.
    NewPod,
    /// Those of added ephemeral containers.
    EphemeralContainers,
}

/// Answers a review: admits the pod, with images rewritten by the rules of its namespace.
///
/// # Errors
/// If the body is no AdmissionReview, or one whose pod is none.
pub fn review(body: &[u8], sources: &Sources) -> Result<Reviewed, NotAReview> {
    let request: Request = API.request(body)?;
    let Some(subject) = request.subject() else {
        return request.skip("only new pods and new ephemeral containers are reviewed");
    };
    let namespace = request.namespace.as_deref().unwrap_or_default();
    if namespace.is_empty() {
        return Err(API.error("request.namespace is empty"));
    }
    let PodReview { request: PodRequest { object: pod, old_object: old } } = API.read(body)?;
    if pod.is_mirror() {
        return request.skip("the pod shows a static pod");
    }
    let chain = match sources.rewriting(namespace) {
        Rewriting::On(chain) => chain,
        Rewriting::Off(Reason::ExcludedNamespace) => {
            return request.skip("images in this namespace are never rewritten");
        }
        Rewriting::Off(Reason::TurnedOff) => return request.skip("a ConfigMap turns rewriting off"),
        Rewriting::Off(Reason::UnknownNamespace) => {
            let warning = "images are not rewritten: the operator has not seen the label of the namespace yet; create \
                           the pod again";
            let rewrite = Rewrite { warnings: vec![warning.to_owned()], ..Rewrite::default() };
            return request.admit(rewrite, Outcome::WrongRules);
        }
    };
    let mut rewrite = match subject {
        Subject::NewPod => pod.rewrite(&chain),
        Subject::EphemeralContainers => pod.rewrite_added(&chain, &old.unwrap_or_default()),
    };
    let outcome = match (rewrite.images, chain.problem()) {
        (0, None) => Outcome::Unchanged,
        (0, Some(_)) => Outcome::WrongRules,
        (images, _) => Outcome::Rewritten(images),
    };
    if let Some(problem) = chain.problem() {
        rewrite.warnings.insert(0, format!("images are not rewritten by all rules: {problem}"));
    }
    request.admit(rewrite, outcome)
}

impl review::Request for Request {
    fn uid(&self) -> &str {
        &self.uid
    }
}

impl Request {
    /// Which images the request may change; None if it is not about a pod, or changes no image.
    fn subject(&self) -> Option<Subject> {
        let Resource { group, version, plural } = &self.resource;
        if (group.as_str(), version.as_str(), plural.as_str()) != ("", "v1", "pods") {
            return None;
        }
        match (self.operation.as_str(), self.sub_resource.as_deref().unwrap_or_default()) {
            ("CREATE", "") => Some(Subject::NewPod),
            ("UPDATE", "ephemeralcontainers") => Some(Subject::EphemeralContainers),
            _ => None,
        }
    }

    fn skip(&self, message: &'static str) -> Result<Reviewed, NotAReview> {
        let response = Response { status: Some(Status { message }), ..self.admitted() };
        answer(response, Outcome::Skipped)
    }

    fn admit(&self, rewrite: Rewrite, outcome: Outcome) -> Result<Reviewed, NotAReview> {
        let Rewrite { patch, warnings, .. } = rewrite;
        let mut response = Response { warnings, ..self.admitted() };
        if !patch.is_empty() {
            response.patch_type = Some("JSONPatch");
            response.patch = Some(ByteString(API.write::<Vec<Operation>>(&patch)?));
        }
        answer(response, outcome)
    }

    fn admitted(&self) -> Response<'_> {
        Response {
            uid: &self.uid,
            allowed: true,
            status: None,
            patch_type: None,
            patch: None,
            warnings: Vec::new(),
        }
    }
}

fn answer(response: Response<'_>, outcome: Outcome) -> Result<Reviewed, NotAReview> {
    let body = API.answer(response)?;
    Ok(Reviewed { body, outcome })
}

#[cfg(test)]
mod tests;
