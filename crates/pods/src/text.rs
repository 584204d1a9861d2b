//! Text of containers and of other programs, made safe to show.

use crate::mask::masked;
use jiff::Timestamp;
use regex::Regex;
use std::sync::LazyLock;

/// Longest message of the kubelet, of the scheduler or of an event, in characters.
const MESSAGE: usize = 400;
/// Longest line of a log, in characters.
pub(crate) const LOG_LINE: usize = 240;

/// Sequences that change the colours, the title or the cursor of a terminal.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\x1b\[[0-?]*[ -/]*[@-~]",
        r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?",
        r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?",
        r"|\x1b[ -/]*[0-Z\\-~]",
    ))
});

/// A pattern of this crate.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant that a test compiles")
}

/// A message on one line, without control characters and secrets.
pub(crate) fn message(text: &str) -> String {
    cut(&masked(&one_line(text)), MESSAGE)
}

/// The same of a message that may be absent or empty.
pub(crate) fn some_message(text: Option<&str>) -> Option<String> {
    text.map(message).filter(|text| !text.is_empty())
}

/// A word such as a reason. The kubelet's have no spaces; other programs may write anything.
pub(crate) fn word(text: Option<&str>) -> Option<String> {
    text.map(|text| cut(&one_line(text), 60)).filter(|text| !text.is_empty())
}

/// The text on one line, without sequences for terminals and without control characters.
pub(crate) fn one_line(text: &str) -> String {
    let text = ESCAPES.replace_all(text, "");
    plan::one_line(&text.trim()).trim().to_owned()
}

/// The text, or its beginning.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How long ago something was, in its largest unit.
pub(crate) fn ago(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s ago"),
        120..7200 => format!("{}m ago", seconds / 60),
        7200..172_800 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_sequences_for_terminals() {
        let hostile =
            "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}[2J\u{1b}(By\u{1b}Pq\u{1b}\\z\u{202e}\0!";
        assert_eq!(one_line(hostile), "red xyz  !");
        assert_eq!(one_line("two\nlines\r\n"), "two lines");
        assert_eq!(one_line("\u{1b}"), "");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(message(&"x".repeat(5000)).chars().count(), MESSAGE + 1);
    }

    #[test]
    fn times_are_in_their_largest_unit() {
        let at = |seconds| ago(Timestamp::UNIX_EPOCH, Timestamp::from_second(seconds).unwrap());
        assert_eq!(
            [0, 119, 120, 7200, 172_800].map(at),
            ["0s ago", "119s ago", "2m ago", "2h ago", "2d ago"]
        );
        assert_eq!(ago(Timestamp::from_second(9).unwrap(), Timestamp::UNIX_EPOCH), "0s ago", "clocks differ");
    }
}
