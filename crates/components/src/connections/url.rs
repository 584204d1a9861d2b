//! URLs of services in specs.

use crate::pods::Scheme;
use plan::PlanError;
use std::{fmt, net::Ipv6Addr};

/// The URL of a service, without user, query and fragment.
///
/// Harbor ignores a URL that it cannot parse, and appends its own paths to whatever a URL ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Url<'a> {
    text: &'a str,
    /// How the service is served.
    pub scheme: Scheme,
    /// Its host, without the brackets of an IPv6 address.
    pub host: &'a str,
    /// Its port, if the URL names one.
    pub port: Option<u16>,
}

impl<'a> Url<'a> {
    /// Parses the URL that the spec holds in `field`.
    pub fn parse(text: &'a str, field: impl fmt::Display) -> Result<Self, PlanError> {
        parts(text).map_err(|Fault(problem, remedy)| PlanError::invalid(field, problem, remedy))
    }
}

impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The host of a URL. A text that is not a URL is returned as the host.
pub(crate) fn url_host(text: &str) -> &str {
    parts(text).map_or(text, |url| url.host)
}

/// What is wrong with a URL. It does not quote the URL, which may contain a password.
struct Fault(&'static str, &'static str);

fn parts(text: &str) -> Result<Url<'_>, Fault> {
    let secure = text.strip_prefix("https://").map(|rest| (Scheme::Https, rest));
    let (scheme, rest) = secure
        .or_else(|| Some((Scheme::Http, text.strip_prefix("http://")?)))
        .ok_or(Fault("does not begin with http:// or https://", "write it as https://harbor.example.com"))?;
    if rest.contains(never_plain) || !escapes_are_whole(rest) {
        return Err(Fault(
            "holds a character that URLs cannot hold as it is",
            "percent-encode it, as in %20",
        ));
    }
    if rest.contains(['?', '#']) {
        return Err(Fault("has a query or a fragment", "remove all from the first ? or # on"));
    }
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.contains('@') {
        return Err(Fault("names a user", "remove all before the host up to the @"));
    }
    let (host, port) = address(authority)
        .ok_or(Fault("has no host, or an invalid port", "write it as https://harbor.example.com:443"))?;
    Ok(Url { text, scheme, host, port })
}

fn never_plain(c: char) -> bool {
    !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

fn escapes_are_whole(text: &str) -> bool {
    let hexadecimal = |digits: &[u8]| digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
    text.split('%').skip(1).all(|after| after.as_bytes().get(..2).is_some_and(hexadecimal))
}

fn address(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']').filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok())?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    if host.is_empty() || !host.chars().all(named) {
        return None;
    }
    match rest.strip_prefix(':') {
        None => rest.is_empty().then_some((host, None)),
        Some(port) => port.parse().ok().filter(|port| *port > 0).map(|port| (host, Some(port))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Url::parse(text, "spec.url").unwrap_err().to_string()
    }

    #[test]
    fn a_url_has_a_scheme_a_host_and_a_port() {
        for (text, scheme, host, port) in [
            ("http://h-registry", Scheme::Http, "h-registry", None),
            ("https://h-core:443/service/token", Scheme::Https, "h-core", Some(443)),
            ("https://harbor.example.com/", Scheme::Https, "harbor.example.com", None),
            ("http://[fd00::1]:8080/", Scheme::Http, "fd00::1", Some(8080)),
            ("http://10.0.0.1", Scheme::Http, "10.0.0.1", None),
            ("http://h/a%20b@c", Scheme::Http, "h", None),
        ] {
            assert_eq!(Url::parse(text, "spec.url"), Ok(Url { text, scheme, host, port }));
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "http://",
            "http:///path",
            "http://h:",
            "http://h:0",
            "http://h:99999",
            "http://h:tcp",
            "http://[fd00::1",
            "http://[h]",
            "http://a:b:c",
            "http://[::1]8080",
            "http://a,b",
        ] {
            assert!(error(text).starts_with("spec.url: has no host, or an invalid port;"), "{text}");
        }
        for text in ["", "harbor.example.com", "ftp://h", "//h"] {
            assert!(error(text).starts_with("spec.url: does not begin with http:// or https://;"), "{text}");
        }
    }

    #[test]
    fn raw_special_characters_are_refused() {
        for text in ["http://h/a b", "http://h/ä", "http://h/{x}", "http://h\n", "http://h/%", "http://h/%zz"]
        {
            assert!(error(text).starts_with("spec.url: holds a character"), "{text}");
        }
    }

    #[test]
    fn what_says_more_than_where_is_refused_without_being_quoted() {
        let reported = error("http://user:hunter2@h");
        assert_eq!(reported, "spec.url: names a user; remove all before the host up to the @");
        for text in ["http://h?x=y", "http://h/#x"] {
            assert_eq!(
                error(text),
                "spec.url: has a query or a fragment; remove all from the first ? or # on"
            );
        }
    }

    #[test]
    fn the_host_of_a_url_is_what_a_proxy_exception_names() {
        assert_eq!(url_host("https://h-core:443/service/token"), "h-core");
        assert_eq!(url_host("h-core"), "h-core");
    }
}
