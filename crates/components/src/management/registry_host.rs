//! The host that users log in to with `docker login`.

use plan::PlanError;

/// The host, and the port if there is one, of the address that users have for a Harbor: what container runtimes look up
/// credentials by.
pub(crate) fn registry_host(external_url: &str) -> Result<&str, PlanError> {
    let address = external_url.trim();
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = address.split('/').next().unwrap_or_default();
    if !host.is_empty() {
        return Ok(host);
    }
    Err(PlanError::invalid(
        "the Harbor",
        "does not know the address that users have for it",
        "set its external URL, so that credentials can name the host that they are for",
    ))
}

#[cfg(test)]
mod tests {
    use super::registry_host;

    #[test]
    fn credentials_are_for_a_host_without_scheme_and_path() {
        for (url, host) in [
            ("https://harbor.example.com", "harbor.example.com"),
            ("http://harbor.example.com:8080/", "harbor.example.com:8080"),
            ("https://[::1]:8443/harbor", "[::1]:8443"),
            ("harbor.example.com", "harbor.example.com"),
        ] {
            assert_eq!(registry_host(url), Ok(host), "{url}");
        }
        assert!(registry_host("https://").is_err());
    }
}
