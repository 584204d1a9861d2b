//! Paths of the API, and percent-encoding.

use std::fmt::{Display, Write as _};

/// A path below `/api/v2.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
    has_name: bool,
}

impl Path {
    /// A collection.
    pub(crate) fn new(collection: &'static str) -> Self {
        Self { text: collection.to_owned(), has_name: false }
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
}
