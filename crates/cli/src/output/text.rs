//! Text that fits into a line of a terminal.

use clap::builder::styling::Style;
use std::{fmt::Write as _, time::Duration};

/// A line under construction, which is never wider than its room.
#[derive(Debug)]
pub struct Line {
    text: String,
    room: usize,
    used: usize,
    full: bool,
}

impl Line {
    /// An empty line with room for this many columns.
    pub fn with_room(room: usize) -> Self {
        Self { text: String::new(), room, used: 0, full: false }
    }

    /// Adds text; text that does not fit ends in `…`.
    pub fn push(&mut self, style: Style, text: &str) {
        if self.full || text.is_empty() {
            return;
        }
        let mut kept = String::new();
        let total: usize = text.chars().map(columns).sum();
        let fits = self.used + total <= self.room;
        for c in text.chars() {
            // Leaves room for the ellipsis.
            if !fits && self.used + columns(c) >= self.room {
                break;
            }
            self.used += columns(c);
            kept.push(c);
        }
        if !fits {
            self.full = true;
            if self.used < self.room {
                kept.push('…');
            }
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{style}{kept}{style:#}");
    }

    /// Adds spaces up to this column.
    pub fn pad(&mut self, column: usize) {
        self.push(Style::new(), &" ".repeat(column.saturating_sub(self.used)));
    }

    /// Whether text did not fit.
    pub fn is_cut(&self) -> bool {
        self.full
    }

    /// The line, without spaces at its end.
    pub fn finish(self) -> String {
        self.text.trim_end().to_owned()
    }
}

/// The most columns that a character takes: an estimate that is too high shortens a line, one too low would break it.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0..0x1100 | 0x2000..0x2070 | 0x2190..0x2600 | 0x2700..0x27c0 => 1,
        _ => 2,
    }
}

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// A text that fits into so many columns. A longer one loses its middle, because names differ at their ends.
pub fn shortened(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let Some(rest) = room.checked_sub(1) else { return String::new() };
    let head = fitting(text.chars(), rest / 2);
    let tail = fitting(text.chars().rev(), rest - width(&head));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// A text in lines of so many columns, broken between words where that is possible.
pub fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        let line = lines.last().map_or(0, |line| width(line));
        if line > 0 && line + 1 + width(word) > room {
            lines.push(String::new());
        } else if line > 0 {
            push(&mut lines, " ");
        }
        while width(word) > room && room > 1 {
            let head = fitting(word.chars(), room);
            word = &word[head.len()..];
            push(&mut lines, &head);
            lines.push(String::new());
        }
        push(&mut lines, word);
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

fn fitting(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += columns(*c);
        used <= room
    };
    chars.take_while(fits).collect()
}

/// Text of other programs on one line: characters that break the line, move the cursor or reverse the direction are
/// escaped.
pub fn plain(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}

/// A short duration: `0.4s`, `12.0s`, `3m04s`, `1h02m`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(room: usize, parts: &[&str]) -> String {
        let mut line = Line::with_room(room);
        for part in parts {
            line.push(Style::new(), part);
        }
        line.finish()
    }

    #[test]
    fn text_that_fits_exactly_is_not_cut() {
        assert_eq!(line(6, &["abc", "def"]), "abcdef");
    }

    #[test]
    fn text_that_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(line(6, &["abc", "defg", "h"]), "abcde…");
        assert_eq!(line(3, &["日本"]), "日…", "wide characters take two columns");
        assert_eq!(line(0, &["a"]), "");
    }

    #[test]
    fn a_name_that_is_too_long_keeps_both_ends() {
        let name = "acme-harbor-core-encryptionkey";
        assert_eq!(shortened(name, 30), name);
        assert_eq!(shortened(name, 12), "acme-…ionkey");
        assert_eq!(shortened("日本語", 5), "日…語", "wide characters take two columns");
        assert_eq!([1, 0].map(|room| shortened(name, room)), ["…", ""]);
    }

    #[test]
    fn text_is_wrapped_between_words_where_that_is_possible() {
        assert_eq!(wrapped("one two three", 9), ["one two", "three"]);
        assert_eq!(wrapped("one two three", usize::MAX), ["one two three"]);
        assert_eq!(wrapped("a abcdefgh b", 5), ["a", "abcde", "fgh b"], "a word that is too long is broken");
        assert_eq!(wrapped("日本語", 5), ["日本", "語"], "wide characters take two columns");
    }

    #[test]
    fn text_cannot_move_the_cursor() {
        assert_eq!(plain("a\nb\u{1b}[2J\u{202e}c"), "a b\\u{1b}[2J\\u{202e}c");
    }

    #[test]
    fn durations_are_short() {
        let short =
            [0, 449, 59_999, 60_000, 184_000, 3_720_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(short, ["0.0s", "0.4s", "59.9s", "1m00s", "3m04s", "1h02m"]);
    }
}
