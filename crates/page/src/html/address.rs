//! The paths of objects.

use crate::store::Address;
use std::fmt::Write as _;

/// In the place of a namespace in the path of an object that has none: an empty segment would make the kind a host.
const NO_NAMESPACE: &str = "-";

/// The path of the page of an object.
pub(super) fn href(address: &Address) -> String {
    let Address { namespace, kind, name } = address;
    let namespace = if namespace.is_empty() { NO_NAMESPACE } else { namespace };
    format!("/{}/{}/{}", segment(namespace), segment(kind), segment(name))
}

/// The object that a path names.
pub(crate) fn address([namespace, kind, name]: [Box<str>; 3]) -> Address {
    let namespace = if *namespace == *NO_NAMESPACE { Box::default() } else { namespace };
    Address { namespace, kind, name }
}

/// A segment of a path.
fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
}

#[cfg(test)]
mod tests {
    use super::{Address, address, href, segment};

    #[test]
    fn a_name_cannot_leave_its_segment() {
        assert_eq!(segment("a/../b?c#d%\"é"), "a%2F..%2Fb%3Fc%23d%25%22%C3%A9");
    }

    #[test]
    fn the_path_of_an_object_stays_on_this_host_and_names_the_object_again() {
        for (namespace, path) in [
            ("ns", "/ns/Kind/name"),
            ("", "/-/Kind/name"),
            ("harbor:ns/acme", "/harbor%3Ans%2Facme/Kind/name"),
        ] {
            let object = Address { namespace: namespace.into(), kind: "Kind".into(), name: "name".into() };
            assert_eq!(href(&object), path);
        }
        let object = Address { namespace: "".into(), kind: "Kind".into(), name: "name".into() };
        assert_eq!(address(["-".into(), "Kind".into(), "name".into()]), object);
    }
}
