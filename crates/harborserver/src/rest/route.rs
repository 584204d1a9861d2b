//! Which endpoint answers a request.

use super::{path::unescaped, received::Received, reply::Reply};
use crate::{call::Call, failure::Failure, version::Version};
use http::{Method, header::ACCEPT};

/// Where the API is.
const BASE: &str = "/api/v2.0";

/// What answers a request.
pub(crate) type Handler = fn(&mut Call<'_>) -> Result<Reply, Failure>;

/// An endpoint.
pub(crate) struct Route {
    method: Method,
    /// Below the base; `{name}` stands for a parameter.
    path: &'static str,
    pub handler: Handler,
    produces: &'static str,
    /// The minor versions that have it.
    since: u8,
    until: u8,
}

/// An endpoint that was found, and the parameters in its path.
pub(crate) struct Routed {
    pub route: &'static Route,
    pub parameters: Vec<(&'static str, String)>,
}

impl Route {
    const fn new(method: Method, path: &'static str, handler: Handler) -> Self {
        Self { method, path, handler, produces: "application/json", since: 0, until: u8::MAX }
    }

    pub const fn get(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::GET, path, handler)
    }

    pub const fn head(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::HEAD, path, handler)
    }

    pub const fn post(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::POST, path, handler)
    }

    pub const fn put(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::PUT, path, handler)
    }

    pub const fn patch(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::PATCH, path, handler)
    }

    pub const fn delete(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::DELETE, path, handler)
    }

    /// The same, since this minor version.
    pub const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }

    /// The same, up to this minor version.
    pub const fn until(mut self, minor: u8) -> Self {
        self.until = minor;
        self
    }

    /// The same, whose answer is text.
    pub const fn text(mut self) -> Self {
        self.produces = "text/plain";
        self
    }

    /// Whether the endpoint is at this path.
    pub fn is_at(&self, path: &str) -> bool {
        self.path == path
    }

    fn served_by(&self, version: Version) -> bool {
        (self.since..=self.until).contains(&version.minor())
    }

    /// The parameters of a path, if it is the endpoint's.
    fn matched(&self, segments: &[&str]) -> Option<Vec<(&'static str, String)>> {
        let pattern: Vec<&'static str> = self.path.split('/').skip(1).collect();
        if pattern.len() != segments.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (expected, &segment) in pattern.into_iter().zip(segments) {
            match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => parameters.push((name, unescaped(segment))),
                None if expected == segment => {}
                None => return None,
            }
        }
        Some(parameters)
    }
}

/// The endpoint of a request: the one with the fewest parameters that has the path and the method.
pub(crate) fn route(
    tables: &[&'static [Route]],
    version: Version,
    request: &Received,
) -> Result<Routed, Failure> {
    let missing = || Failure::not_found(format!("path {} was not found", unescaped(&request.path)));
    let path = request.path.strip_prefix(BASE).ok_or_else(missing)?;
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut candidates: Vec<Routed> = tables
        .iter()
        .flat_map(|table| table.iter())
        .filter(|route| route.served_by(version))
        .filter_map(|route| route.matched(&segments).map(|parameters| Routed { route, parameters }))
        .collect();
    // A literal segment goes before a parameter.
    let fewest = candidates.iter().map(|candidate| candidate.parameters.len()).min().ok_or_else(missing)?;
    candidates.retain(|candidate| candidate.parameters.len() == fewest);
    let methods: Vec<&str> = candidates.iter().map(|candidate| candidate.route.method.as_str()).collect();
    let methods = methods.join(",");
    let found = candidates.into_iter().find(|candidate| candidate.route.method == request.method);
    let found = found.ok_or_else(|| {
        Failure::method_not_allowed(format!(
            "method {} is not allowed, but [{methods}] are",
            request.method.as_str()
        ))
    })?;
    accepts(request, found.route.produces)?;
    Ok(found)
}

fn accepts(request: &Received, produced: &str) -> Result<(), Failure> {
    let Some(accepted) = request.headers.get(ACCEPT) else { return Ok(()) };
    let accepted = accepted.to_str().unwrap_or_default();
    let family = produced.split_once('/').map_or(produced, |(family, _)| family);
    let fits = accepted.split(',').any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        range.is_empty() || range == "*/*" || range == produced || range == format!("{family}/*")
    });
    if fits {
        return Ok(());
    }
    Err(Failure::unprocessable(&format!("unsupported media type requested, only [{produced}] are available")))
}
