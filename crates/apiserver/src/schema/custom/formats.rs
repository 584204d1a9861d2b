//! The formats of texts and numbers in definitions.

use super::node::Node;
use crate::schema::{Type, decode};
use regex::Regex;
use std::{
    net::{Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

/// The validated formats of texts, spelled without hyphens.
const TEXTUAL: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let patterns = [
        ("bsonobjectid", r"^[0-9a-fA-F]{24}$"),
        ("uri", r"^(/|[a-zA-Z][a-zA-Z0-9+.-]*:)[^\x00-\x20\x7f]*$"),
        ("email", r"^([^\s@<>]+|[^<>@]*<[^\s@<>]+)@[^\s@<>]+>?$"),
        (
            "hostname",
            r"^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?(\.[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)*$",
        ),
        (
            "mac",
            r"^([0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}((:|-)[0-9a-fA-F]{2}){4,18}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2,9})$",
        ),
        ("uuid", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
        ("uuid3", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
        ("uuid4", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"),
        ("uuid5", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"),
        ("isbn10", r"^(?:[0-9]{9}X|[0-9]{10})$"),
        ("isbn13", r"^(?:[0-9]{13})$"),
        (
            "creditcard",
            r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$",
        ),
        ("ssn", r"^\d{3}[- ]?\d{2}[- ]?\d{4}$"),
        ("hexcolor", r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
        (
            "rgbcolor",
            r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$",
        ),
        ("date", r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"),
        (
            "duration",
            r"^([-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$|^[-+]?0$|^\s*\d+\s*(ns|us|µs|ms|s|m|h|d|w|nano(second)?s?|micro(second)?s?|milli(second)?s?|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?)$",
        ),
        ("k8sshortname", r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"),
        ("k8slongname", r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ];
    patterns.into_iter().filter_map(|(format, pattern)| Some((format, Regex::new(pattern).ok()?))).collect()
});

/// The format of a node, if values of its type are validated against it.
pub(super) fn effective(node: &Node) -> Option<&str> {
    let format = node.format.as_deref()?;
    let known = match node.kind {
        None | Some(Type::String) => is_textual(format),
        Some(Type::Integer) => matches!(format, "int32" | "int64"),
        Some(Type::Number) => matches!(format, "float" | "double"),
        Some(_) => false,
    };
    known.then_some(format)
}

pub(super) fn is_textual(format: &str) -> bool {
    TEXTUAL.contains(&plain(format).as_str())
}

/// Whether a text has a format; true for unknown formats.
pub(super) fn matches(format: &str, text: &str) -> bool {
    match plain(format).as_str() {
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "byte" => decode::base64_flaw(text).is_none(),
        "datetime" => decode::is_time(text),
        "isbn" => matches("isbn10", text) || matches("isbn13", text),
        "isbn10" | "isbn13" | "creditcard" => {
            let digits: String =
                text.chars().filter(|digit| digit.is_ascii_digit() || *digit == 'X').collect();
            matches_pattern(&plain(format), &digits)
        }
        "hostname" => text.len() < 255 && matches_pattern("hostname", text),
        "k8slongname" => text.len() <= 253 && matches_pattern("k8slongname", text),
        other => matches_pattern(other, text),
    }
}

fn matches_pattern(format: &str, text: &str) -> bool {
    PATTERNS.iter().find(|(name, _)| *name == format).is_none_or(|(_, pattern)| pattern.is_match(text))
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = match (address.parse::<Ipv4Addr>(), address.parse::<Ipv6Addr>()) {
        (Ok(_), _) => 32,
        (_, Ok(_)) => 128,
        _ => return false,
    };
    bits.len() <= 3 && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

fn plain(format: &str) -> String {
    format.replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::{PATTERNS, matches};

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.len(), 19);
    }

    #[test]
    fn texts_have_or_lack_formats() {
        for (format, text, expected) in [
            ("date-time", "2026-01-02T03:04:05Z", true),
            ("date-time", "yesterday", false),
            ("duration", "1h30m", true),
            ("duration", "soon", false),
            ("uuid", "550e8400-e29b-41d4-a716-446655440000", true),
            ("ipv4", "10.0.0.1", true),
            ("ipv4", "10.0.0.256", false),
            ("cidr", "10.0.0.0/8", true),
            ("cidr", "10.0.0.0/33", false),
            ("byte", "aGk=", true),
            ("byte", "a", false),
            ("uri", "https://harbor.example.com/x", true),
            ("uri", "harbor", false),
            ("hostname", "harbor.example.com", true),
            ("hostname", "-", false),
            ("unheard-of", "x", true),
        ] {
            assert_eq!(matches(format, text), expected, "{format} {text}");
        }
    }
}
