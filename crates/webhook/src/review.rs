//! What the reviews of the API server have in common: a request with an id, in an envelope with a version and a kind,
//! and a response in the same envelope.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

/// An API of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReviewApi {
    /// The group and version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
}

/// A body that is no review of the expected API. The message tells what is wrong, and does not quote the body.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is no {} of {}: {why}", api.kind, api.version)]
pub struct NotAReview {
    api: ReviewApi,
    why: String,
}

/// The request of a review.
pub(crate) trait Request {
    /// What the answer must repeat.
    fn uid(&self) -> &str;
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review<R> {
    api_version: String,
    kind: String,
    request: R,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<R> {
    api_version: &'static str,
    kind: &'static str,
    response: R,
}

impl ReviewApi {
    /// The request in the body of a review.
    pub(crate) fn request<'a, R: Request + Deserialize<'a>>(self, body: &'a [u8]) -> Result<R, NotAReview> {
        let Review { api_version, kind, request } = self.read::<Review<R>>(body)?;
        if (api_version.as_str(), kind.as_str()) != (self.version, self.kind) {
            return Err(self.error("it has another apiVersion or kind"));
        }
        if request.uid().is_empty() {
            return Err(self.error("request.uid is empty"));
        }
        Ok(request)
    }

    /// The body as a value. An error does not have the values that the parser quotes.
    pub(crate) fn read<'a, T: Deserialize<'a>>(self, body: &'a [u8]) -> Result<T, NotAReview> {
        let body = std::str::from_utf8(body).map_err(|_| self.error("it is not UTF-8"))?;
        serde_json::from_str(body).map_err(|error| self.unreadable(&error))
    }

    /// Why the parser cannot read a body, without the values that it quotes.
    pub(crate) fn unreadable(self, error: &serde_json::Error) -> NotAReview {
        let place = format!("line {}, column {}", error.line(), error.column());
        self.error(match error.classify() {
            Category::Data => format!("a field is missing or has the wrong type at {place}"),
            Category::Io | Category::Syntax | Category::Eof => format!("it is not JSON at {place}"),
        })
    }

    /// The body of the answer with a response.
    pub(crate) fn answer<R: Serialize>(self, response: R) -> Result<Vec<u8>, NotAReview> {
        self.write(&Answer { api_version: self.version, kind: self.kind, response })
    }

    /// A value as JSON.
    pub(crate) fn write<T: Serialize>(self, value: &T) -> Result<Vec<u8>, NotAReview> {
        serde_json::to_vec(value).map_err(|_| self.error("the answer to it cannot be written"))
    }

    /// An error about a body.
    pub(crate) fn error(self, why: impl Into<String>) -> NotAReview {
        NotAReview { api: self, why: why.into() }
    }
}
