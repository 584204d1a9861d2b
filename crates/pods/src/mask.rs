//! Masks what looks like a secret in text that other programs wrote.
//!
//! Secrets are not read to compare with, so a secret is recognised by its form or by the name before it. Masking too much is
//! better than too little, but a masked message must still say what went wrong: names of files, digests of images and the
//! sentences of PostgreSQL and Redis about passwords stay as they are.

use crate::text::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Replaces a secret.
const HIDDEN: &str = "(hidden)";

/// Part of a name whose value is a secret.
const NAMES: &str = "password|passwd|passphrase|pwd|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key\
                     |encryption[_-]?key|signing[_-]?key|csrf|session[_-]?id";
/// Ends of names whose value is not the secret, but says where it is. The last ones are source files, before a line number.
const PLACES: [&str; 18] = [
    "file",
    "path",
    "dir",
    "name",
    "names",
    "ref",
    "url",
    "uri",
    "type",
    "service",
    "expiration",
    "ttl",
    ".go",
    ".py",
    ".rb",
    ".js",
    ".rs",
    ".java",
];

/// `https://…`, up to a space or a quote.
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"([A-Za-z][A-Za-z0-9+.-]*://)([^\s"'`<>]+)"#));
/// `user:password@host`, as drivers of databases write it.
static USER: LazyLock<Regex> = LazyLock::new(|| pattern(r"([\w.%+-]+):([^\s:@/]+)@(sha\d+:|[\w(\[])"));
/// `Authorization: …`
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\W{0,4}[:=]).*"));
/// `Bearer …`
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(bearer|basic|token)(\s+)([A-Za-z0-9._~+/=-]{6,})"));
/// `password=…`, `"password": "…"`, `PASSWORD => '…'`, with quotes that may be escaped.
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    let name = format!(r"([\w.-]*(?:{NAMES})[\w.-]*)");
    let value = r#"(\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s"']\S*)"#;
    pattern(&format!(r#"(?i){name}(\\*["']?\s*(?:=>|:=|[=:])\s*){value}"#))
});
/// `--password …`
static FLAG: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?i)((?:^|\s)--?[\w-]*(?:{NAMES})[\w-]*)(\s+)([^\s-]\S*)")));
/// Tokens that are known by their beginning: JSON web tokens, AWS, GitHub, GitLab.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?",
        r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bglpat-[\w-]{20,}",
    ))
});
/// Text without spaces that may be random.
static LONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9+/_=-]{40,}"));

/// A line in which what looks like a secret is masked.
pub fn masked(line: &str) -> String {
    let line = URL.replace_all(line, |found: &Captures<'_>| format!("{}{}", &found[1], url(&found[2])));
    let line = USER.replace_all(&line, |found: &Captures<'_>| {
        // Before a digest stands the tag of an image.
        let is_image = found[3].ends_with(':');
        if is_image { found[0].to_owned() } else { format!("{}:{HIDDEN}@{}", &found[1], &found[3]) }
    });
    let line = HEADER.replace_all(&line, format!("$1$2 {HIDDEN}"));
    let line = SCHEME.replace_all(&line, |found: &Captures<'_>| {
        let (scheme, space) = (&found[1], &found[2]);
        if is_token(&found[3]) { format!("{scheme}{space}{HIDDEN}") } else { found[0].to_owned() }
    });
    let line = ASSIGNED.replace_all(&line, |found: &Captures<'_>| assigned(found));
    let line = FLAG.replace_all(&line, |found: &Captures<'_>| assigned(found));
    let line = TOKEN.replace_all(&line, HIDDEN);
    let shown = |found: &Captures<'_>| {
        let text = &found[0];
        if is_random(text) { HIDDEN.to_owned() } else { text.to_owned() }
    };
    LONG.replace_all(&line, shown).into_owned()
}

/// Lines of one log, masked. The lines of a private key are no text of their own.
pub(crate) fn masked_lines<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Vec<String> {
    let is_edge = |line: &str, edge: &str| line.contains(edge) && line.contains("PRIVATE KEY");
    // The log may have been cut within a key.
    let first = lines.clone().find(|line| is_edge(line, "-----BEGIN") || is_edge(line, "-----END"));
    let mut within = first.is_some_and(|line| !line.contains("-----BEGIN"));
    let mut shown = Vec::new();
    for line in lines {
        if is_edge(line, "-----END") {
            within = false;
        }
        shown.push(if within { HIDDEN.to_owned() } else { masked(line) });
        if is_edge(line, "-----BEGIN") && !line.contains("-----END") {
            within = true;
        }
    }
    shown
}

/// What follows `://`, without the password or the token before the host.
fn url(rest: &str) -> String {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_slash = authority.split_once(':').is_some_and(|(_, port)| !is_port(port) && !port.contains(']'));
    let end = match (authority.rfind('@'), rest.rfind('@')) {
        // A password that is not encoded may have a slash.
        (Some(_) | None, Some(last)) if has_slash => last,
        (Some(at), _) => at,
        (None, _) => return rest.to_owned(),
    };
    match rest[..end].split_once(':') {
        Some((user, _)) => format!("{user}:{HIDDEN}{}", &rest[end..]),
        None => format!("{HIDDEN}{}", &rest[end..]),
    }
}

/// A name and its masked value, unless the value says where the secret is.
fn assigned(found: &Captures<'_>) -> String {
    let (name, between, value) = (&found[1], &found[2], &found[3]);
    let lower = name.to_lowercase();
    if PLACES.iter().any(|place| lower.ends_with(place)) || value.starts_with(HIDDEN) {
        return found[0].to_owned();
    }
    let quote = ["\\\"", "\"", "'"].into_iter().find(|quote| value.starts_with(quote)).unwrap_or_default();
    let closing = if value.len() > quote.len() && value.ends_with(quote) { quote } else { "" };
    format!("{name}{between}{quote}{HIDDEN}{closing}")
}

/// Whether it is no word of a sentence, as in `basic authentication failed`.
fn is_token(text: &str) -> bool {
    let has = |kind: fn(&char) -> bool| text.chars().any(|c| kind(&c));
    has(char::is_ascii_digit) || text.contains('=') || (has(char::is_ascii_uppercase) && text.len() >= 20)
}

/// Whether it is neither a path nor a digest nor a name.
fn is_random(text: &str) -> bool {
    let has = |kind: fn(&char) -> bool| text.chars().any(|c| kind(&c));
    let slashes = text.matches('/').count();
    has(char::is_ascii_digit)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && slashes <= text.len() / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "hunter2";

    #[test]
    fn what_looks_like_a_secret_is_masked_and_the_rest_stays() {
        for (line, expected) in [
            ("password=hunter2 sslmode=disable", "password=(hidden) sslmode=disable"),
            ("password='hunter2 and more' x", "password='(hidden)' x"),
            (r#"{"password":"hunter2","user":"admin"}"#, r#"{"password":"(hidden)","user":"admin"}"#),
            (r#"msg="{\"password\":\"hunter2\",\"a\":1}""#, r#"msg="{\"password\":\"(hidden)\",\"a\":1}""#),
            ("REDIS_PASSWORD: hunter2", "REDIS_PASSWORD: (hidden)"),
            ("config {DBPassword:hunter2 Port:5432}", "config {DBPassword:(hidden) Port:5432}"),
            ("run --admin-password hunter2 --port 1", "run --admin-password (hidden) --port 1"),
            ("secretKey => 'hunter2',", "secretKey => '(hidden)',"),
            ("dial redis://:hunter2@redis:6379/0: timeout", "dial redis://:(hidden)@redis:6379/0: timeout"),
            ("postgres://harbor:hunter2@db:5432/x?a=b", "postgres://harbor:(hidden)@db:5432/x?a=b"),
            ("postgres://harbor:hun/hunter2@db/x failed", "postgres://harbor:(hidden)@db/x failed"),
            ("redis://:a@hunter2/b@redis:6379", "redis://:(hidden)@redis:6379"),
            ("clone https://hunter2@example.com/x.git", "clone https://(hidden)@example.com/x.git"),
            ("harbor:hunter2@tcp(db:3306)/registry", "harbor:(hidden)@tcp(db:3306)/registry"),
            ("GET /?token=hunter2&page=1", "GET /?token=(hidden)"),
            ("Authorization: Basic aHVudGVyMg== x hunter2", "Authorization: (hidden)"),
            (r#""Cookie":"sid=hunter2""#, r#""Cookie": (hidden)"#),
            ("sent bearer hunter2hunter2 to it", "sent bearer (hidden) to it"),
            ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln end", "jwt (hidden) end"),
        ] {
            assert_eq!(masked(line), expected);
            assert!(!masked(line).contains(SECRET), "{line}");
            assert_eq!(masked(expected), expected, "what is masked stays as it is");
        }
    }

    #[test]
    fn what_says_what_went_wrong_stays_as_it_is() {
        for line in [
            "pq: password authentication failed for user \"harbor\"",
            "WRONGPASS invalid username-password pair or user is disabled.",
            "secret \"registry-db\" not found",
            "couldn't find key password in Secret registry/database",
            "open /etc/core/token/tls.crt: no such file or directory, TOKEN_PRIVATE_KEY_PATH=/etc/core/key.pem",
            "[FATAL] [/core/service/token.go:55]: basic authentication is disabled",
            "image goharbor/harbor-core:v2.15.0@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "dial tcp [fd00::1]:5432: connect: connection refused; http://[fd00::1]:8080/x@y:z, https://core:8443/a@b:c",
            "panic at /harbor/src/lib/orm/Transaction1/withAVeryLongNameOfAFolder/x",
        ] {
            assert_eq!(masked(line), line);
        }
    }

    #[test]
    fn the_lines_of_a_private_key_are_masked_also_if_the_log_begins_within_it() {
        let lines = |text: &'static str| masked_lines(text.lines());
        let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        assert_eq!(lines("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nb=="), ["a", begin, HIDDEN, HIDDEN]);
        assert_eq!(lines("MIIE\nb==\n-----END RSA PRIVATE KEY-----\nc"), [HIDDEN, HIDDEN, end, "c"]);
        assert_eq!(lines("a\nb"), ["a", "b"]);
    }

    #[test]
    fn random_text_is_masked_and_digests_are_not() {
        let random = "q7Yk2PzR0aLm8XcVn4Bt6Wd1Ej3Hs5Gu9Fo0Ki2Mw";
        assert_eq!(masked(&format!("key {random}.")), "key (hidden).");
        assert_eq!(masked("AKIAIOSFODNN7EXAMPLE"), HIDDEN);
    }
}
