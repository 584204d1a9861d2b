//! Addresses of registries, as Harbor stores them.

/// An address without spaces and slashes around it, without user info and query, and with a scheme. The query goes
/// last: a slash before it stays until the address is normalised again.
pub(super) fn normalised(text: &str) -> String {
    let text = text.trim().trim_end_matches('/');
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let address = text.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn an_address_is_not_always_normalised_by_normalising_it_once() {
        assert_eq!(normalised(" host:8090/?x=1 "), "http://host:8090/");
        assert_eq!(normalised("http://host:8090/"), "http://host:8090");
        assert_eq!(normalised("https://me:secret@host/path/"), "https://host/path");
        assert_eq!(normalised(""), "http://");
    }
}
