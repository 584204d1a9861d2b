//! A request on its way through an endpoint.

use crate::{
    access::Identity,
    failure::Failure,
    rest::{Decode, Filter, Page, Place, Received, Reply, Row, Sort},
    state::{Data, Id, Runtime},
    version::{Change, Version},
};
use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use serde_json::Value;

/// A request on its way through an endpoint.
pub(crate) struct Call<'a> {
    pub data: &'a mut Data,
    pub runtime: &'a mut Runtime,
    pub request: &'a Received,
    pub parameters: Vec<(&'static str, String)>,
    pub identity: Identity,
    pub now: Timestamp,
}

impl Call<'_> {
    pub fn version(&self) -> Version {
        self.data.version
    }

    pub fn has(&self, change: Change) -> bool {
        self.data.version.has(change)
    }

    /// A parameter of the path. The router guarantees those that the route names.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters
            .iter()
            .find_map(|(key, value)| (*key == name).then_some(value.as_str()))
            .unwrap_or_default()
    }

    /// A parameter of the path that is a whole number.
    pub fn number(&self, name: &str) -> Result<i64, Failure> {
        let text = self.parameter(name);
        text.parse()
            .map_err(|_| Failure::unprocessable(&format!("{name} in path must be of type int64: \"{text}\"")))
    }

    /// A parameter of the path that is the number of a row.
    pub fn id<T>(&self, name: &str) -> Result<Id<T>, Failure> {
        self.number(name).map(Id::new)
    }

    /// The body, which Harbor calls `name`.
    pub fn body<T: Decode>(&self, name: &str) -> Result<T, Failure> {
        self.optional_body(name)?
            .ok_or_else(|| Failure::unprocessable(&format!("{name} in body is required")))
    }

    /// The body, if there is one.
    pub fn optional_body<T: Decode>(&self, name: &str) -> Result<Option<T>, Failure> {
        if self.request.body.is_empty() {
            return Ok(None);
        }
        let content_type =
            self.request.headers.get(CONTENT_TYPE).map_or(b"".as_slice(), |value| value.as_bytes());
        let content_type = String::from_utf8_lossy(content_type);
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let media_type = if media_type.is_empty() { "application/octet-stream" } else { media_type.as_str() };
        if media_type != "application/json" {
            return Err(Failure::unprocessable(&format!(
                "unsupported media type \"{media_type}\", only [application/json] are allowed"
            )));
        }
        let broken = |problem: String| {
            Failure::unprocessable(&format!("parsing {name} body from \"\" failed, because {problem}"))
        };
        let value = crate::rest::parse(&self.request.body).map_err(broken)?;
        let read = if value.is_null() {
            T::default()
        } else {
            T::decode(&value, &Place::default()).map_err(broken)?
        };
        match read.broken_rules().as_slice() {
            [] => Ok(Some(read)),
            rules => Err(Failure::unprocessable(&format!("validation failure list:\n{}", rules.join("\n")))),
        }
    }

    /// The conditions of the query, if any.
    pub fn filter(&self) -> Result<Filter, Failure> {
        self.request
            .parameter("q")
            .filter(|query| !query.is_empty())
            .map_or_else(|| Ok(Filter::default()), Filter::parse)
    }

    /// The answer to a list: the rows that the filter keeps, in the order and the page that the request asks for.
    pub fn listed<R: Row>(
        &self,
        filter: &Filter,
        usual_order: &str,
        rows: impl Iterator<Item = R>,
        show: impl FnMut(R) -> Value,
    ) -> Result<Reply, Failure> {
        let page = Page::of(self.request)?;
        let mut kept: Vec<R> = rows.filter(|row| filter.keeps(row)).collect();
        Sort::of(self.request, usual_order).apply(&mut kept);
        let total = kept.len();
        let shown = page.cut(kept).into_iter().map(show).collect();
        Ok(page.answer(self.request, total, shown))
    }

    /// The address of an object below the API.
    pub fn location(&self, path: &str) -> String {
        format!("{}/{path}", self.request.path)
    }
}
