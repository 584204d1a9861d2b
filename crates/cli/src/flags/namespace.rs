//! Parses names of namespaces.

use std::{env, fs, io};

/// The default namespace of the operator.
pub const OPERATORS: &str = "harbor-operator-ns";
/// The file in which a pod finds its namespace.
const NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/// Longest name of a namespace.
const LONGEST: usize = 63;

/// Parses a namespace. The API server would not refuse an invalid one, but find no objects in it.
pub fn namespace(text: &str) -> Result<String, String> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let fits = text.starts_with(inner)
        && text.ends_with(inner)
        && text.len() <= LONGEST
        && text.chars().all(|c| inner(c) || c == '-');
    if fits {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "use at most {LONGEST} lower-case letters, digits and dashes, with no dash at either end"
        ))
    }
}

/// Parses a namespace; a variable may be empty.
pub fn namespace_or_nothing(text: &str) -> Result<String, String> {
    if text.is_empty() { Ok(String::new()) } else { namespace(text) }
}

/// The namespace of the pod of this process.
pub fn own_namespace() -> io::Result<String> {
    match env::var("POD_NAMESPACE") {
        Ok(namespace) if !namespace.is_empty() => Ok(namespace),
        _ => fs::read_to_string(NAMESPACE_FILE).map(|namespace| namespace.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::namespace;

    #[test]
    fn an_invalid_namespace_is_refused() {
        for good in ["a", "0", "registry-staging", &"x".repeat(63)] {
            assert_eq!(namespace(good), Ok(good.to_owned()));
        }
        for bad in ["", "a b", "-a", "a-", "A", "a.b", "a/b", &"x".repeat(64)] {
            assert!(namespace(bad).is_err(), "{bad:?}");
        }
    }
}
