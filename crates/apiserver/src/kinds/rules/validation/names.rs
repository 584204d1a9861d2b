//! Rules for names, with the messages of Kubernetes.

/// A rule for names; returns the problems.
pub(crate) type Rule = fn(&str) -> Vec<String>;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// A label of RFC 1123: `my-name`.
pub(crate) fn dns_label(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63);
    if !is_label(value) {
        wrong.push(if is_subdomain(value) {
            "must not contain dots".into()
        } else {
            regex(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
                 and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    wrong
}

/// A subdomain of RFC 1123: `example.com`.
pub(crate) fn dns_subdomain(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 253);
    if !is_subdomain(value) {
        wrong.push(regex(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character",
            SUBDOMAIN,
            &["example.com"],
        ));
    }
    wrong
}

/// A label of RFC 1035, which starts with a letter.
pub(crate) fn dns1035_label(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63);
    if !is_label(value) || !value.starts_with(|c: char| c.is_ascii_lowercase()) {
        wrong.push(regex(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    wrong
}

/// `*.example.com`
pub(crate) fn wildcard_subdomain(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 253);
    if !value.strip_prefix("*.").is_some_and(is_subdomain) {
        wrong.push(regex(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist \
             of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
            &format!(r"\*\.{SUBDOMAIN}"),
            &["*.example.com"],
        ));
    }
    wrong
}

/// A name that can be a segment of a URL's path, as the names of roles are.
pub(crate) fn path_segment(value: &str) -> Vec<String> {
    if value == "." || value == ".." {
        return vec![format!("may not be '{value}'")];
    }
    ["/", "%"]
        .iter()
        .filter(|illegal| value.contains(**illegal))
        .map(|illegal| format!("may not contain '{illegal}'"))
        .collect()
}

/// The key of a label, an annotation or the name of a finalizer: `example.com/name`.
pub(crate) fn qualified_name(value: &str) -> Vec<String> {
    const WHAT: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character";
    let message = || regex(WHAT, KEY, &["MyName", "my.name", "123-abc"]);
    let mut wrong = Vec::new();
    let name = match value.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".into());
            } else {
                let inner = dns_subdomain(prefix).into_iter();
                wrong.extend(inner.map(|message| {
                    format!("prefix part {}", message.replace("253 characters", "253 bytes"))
                }));
            }
            *name
        }
        _ => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                message()
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 bytes".into());
    }
    if !is_key(name) {
        wrong.push(format!("name part {}", message()));
    }
    wrong
}

/// The value of a label.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > 63 {
        wrong.push("must be no more than 63 bytes".into());
    }
    if !value.is_empty() && !is_key(value) {
        wrong.push(regex(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character",
            &format!("({KEY})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    wrong
}

/// The name of a container's port.
pub(crate) fn port_name(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 15);
    let mut unless = |good: bool, message: &str| {
        if !good {
            wrong.push(message.to_owned());
        }
    };
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    unless(
        !value.is_empty() && value.bytes().all(plain),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    unless(value.bytes().any(|c| c.is_ascii_lowercase()), "must contain at least one letter (a-z)");
    unless(!value.contains("--"), "must not contain consecutive hyphens");
    unless(!value.starts_with('-') && !value.ends_with('-'), "must not begin or end with a hyphen");
    wrong
}

/// The name of an environment variable.
pub(crate) fn variable(value: &str) -> Vec<String> {
    if value.bytes().all(|c| (b' '..=b'~').contains(&c) && c != b'=') {
        return Vec::new();
    }
    vec![
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
            .into(),
    ]
}

/// A key of a ConfigMap or Secret.
pub(crate) fn config_key(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 253);
    let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if value.is_empty() || !value.bytes().all(plain) {
        wrong.push(regex(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    match value {
        "." => wrong.push("must not be '.'".into()),
        ".." => wrong.push("must not be '..'".into()),
        _ if value.starts_with("..") => wrong.push("must not start with '..'".into()),
        _ => {}
    }
    wrong
}

/// A name to which a suffix is appended may end with a dash.
pub(crate) fn as_prefix(value: &str) -> String {
    match value.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut rest = rest.to_owned();
            rest.pop();
            rest + "a"
        }
        _ => value.to_owned(),
    }
}

fn is_label(value: &str) -> bool {
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    value.bytes().all(|c| plain(c) || c == b'-')
        && value.bytes().next().is_some_and(plain)
        && value.bytes().last().is_some_and(plain)
}

fn is_subdomain(value: &str) -> bool {
    value.split('.').all(is_label)
}

fn is_key(value: &str) -> bool {
    value.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
        && value.bytes().next().is_some_and(|c| c.is_ascii_alphanumeric())
        && value.bytes().last().is_some_and(|c| c.is_ascii_alphanumeric())
}

fn too_long(value: &str, most: usize) -> Vec<String> {
    if value.len() > most { vec![format!("must be no more than {most} characters")] } else { Vec::new() }
}

fn regex(message: &str, format: &str, examples: &[&str]) -> String {
    let examples = examples.iter().map(|example| format!("'{example}', ")).collect::<Vec<_>>().join(" or ");
    format!("{message} (e.g. {examples}regex used for validation is '{format}')")
}

#[cfg(test)]
mod tests {
    use super::{as_prefix, dns_label, label_value, qualified_name};

    #[test]
    fn a_bad_label_value_is_explained() {
        assert_eq!(
            label_value("a b"),
            [
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
              start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
              validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            ]
        );
    }

    #[test]
    fn dots_are_named_where_only_they_are_wrong() {
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
    }

    #[test]
    fn keys_may_have_one_prefix() {
        assert_eq!(qualified_name("example.com/a_B.c"), Vec::<String>::new());
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert_eq!(qualified_name("a/b/c").len(), 1);
    }

    #[test]
    fn a_prefix_may_end_with_a_dash() {
        assert_eq!([as_prefix("web-"), as_prefix("-"), as_prefix("web")], ["wea", "-", "web"]);
    }
}
