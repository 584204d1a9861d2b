//! Paths of the API and beside it, and percent-encoding.

use std::fmt::{Display, Write as _};

/// A path, mostly below `/api/v2.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
    has_name: bool,
    is_outside: bool,
}

impl Path {
    /// A collection.
    pub(crate) fn new(collection: &'static str) -> Self {
        Self { text: collection.to_owned(), has_name: false, is_outside: false }
    }

    /// A path of Core that is not below `/api/v2.0`.
    pub(crate) fn outside(path: &'static str) -> Self {
        Self { is_outside: true, ..Self::new(path) }
    }

    /// The digest of a manifest. Its colon stays, as the registry has it.
    pub(crate) fn digest(mut self, digest: &str) -> Self {
        self.text.push('/');
        let (algorithm, rest) = digest.split_once(':').unwrap_or_default();
        encode(algorithm, &mut self.text);
        self.text.push(':');
        encode(rest, &mut self.text);
        self
    }

    /// A fixed part.
    pub(crate) fn then(mut self, part: &'static str) -> Self {
        self.text.push('/');
        self.text.push_str(part);
        self
    }

    /// The number of an object.
    pub(crate) fn id(mut self, id: impl Display) -> Self {
        // Writing to a String does not fail.
        let _ = write!(self.text, "/{id}");
        self
    }

    /// The name of an object. The request says that it is a name, even if it consists of digits.
    pub(crate) fn name(mut self, name: &str) -> Self {
        self.text.push('/');
        encode(name, &mut self.text);
        self.has_name = true;
        self
    }

    /// The name of a repository. Its slashes are encoded twice: a proxy before Harbor decodes the path once.
    pub(crate) fn repository(self, name: &str) -> Self {
        self.name(&encoded(name))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn has_name(&self) -> bool {
        self.has_name
    }

    /// Where the path begins, after the address of the server.
    pub(crate) fn base(&self) -> &'static str {
        if self.is_outside { "" } else { "/api/v2.0" }
    }
}

/// The text with every byte encoded that has a meaning in an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    encode(text, &mut encoded);
    encoded
}

fn encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(into, "%{byte:02X}");
        }
    }
    // A segment of dots would be taken for the folder above.
    if text == "." || text == ".." {
        let start = into.len() - text.len();
        into.replace_range(start.., &"%2E".repeat(text.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn a_name_cannot_leave_its_segment() {
        let path = |name| Path::new("/projects").name(name).then("members").as_str().to_owned();
        assert_eq!(path("alpha"), "/projects/alpha/members");
        assert_eq!(path("a/../b?c#d%e+ä"), "/projects/a%2F..%2Fb%3Fc%23d%25e%2B%C3%A4/members");
        assert_eq!(path(".."), "/projects/%2E%2E/members");
    }

    #[test]
    fn the_name_of_a_repository_is_encoded_twice() {
        let path = Path::new("/projects").name("alpha").then("repositories").repository("deep/path");
        assert_eq!(path.as_str(), "/projects/alpha/repositories/deep%252Fpath");
    }

    #[test]
    fn what_is_asked_of_the_registry_is_beside_the_api_and_has_its_digest_as_it_is() {
        let path = Path::outside("/v2").name("alpha").name("deep").then("manifests").digest("sha256:0a/..");
        assert_eq!((path.base(), path.as_str()), ("", "/v2/alpha/deep/manifests/sha256:0a%2F.."));
        assert_eq!(Path::new("/projects").base(), "/api/v2.0");
    }
}
