//! Makes the text of other programs and of users safe for conditions, events, logs and terminals.

use std::fmt;

/// Longest message for conditions and logs; a longer message is cut.
const LONGEST_MESSAGE: usize = 2048;

/// The message of an error that may quote other programs, in the form in which conditions and logs have it.
pub fn one_line(error: &dyn fmt::Display) -> String {
    sanitized(&error.to_string(), LONGEST_MESSAGE)
}

/// `text` on one line, without control characters, and no longer than `longest` bytes and an ellipsis.
///
/// Messages contain text from the statuses of other programs and from users' fields. That text must not fill the
/// memory, exceed a limit of the API server, forge a log line or move the cursor of a terminal.
pub(crate) fn sanitized(text: &str, longest: usize) -> String {
    let mut safe = String::new();
    for c in text.chars().map(|c| if is_unsafe(c) { ' ' } else { c }) {
        if safe.len() + c.len_utf8() > longest {
            safe.push('…');
            break;
        }
        safe.push(c);
    }
    safe
}

/// Control characters, and characters that reorder or hide the text around them.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_long_text_and_control_characters_are_changed() {
        assert_eq!(sanitized("PostgreSQL läuft", 100), "PostgreSQL läuft");
        assert_eq!(sanitized("a\nlevel=info\x1b[2J\0\u{202e}", 100), "a level=info [2J  ");
        assert_eq!(sanitized("abcdef", 3), "abc…");
        assert_eq!(sanitized("ääää", 3), "ä…", "never half a character");
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_line_of_bounded_length(text in any::<String>(), longest in 0_usize..40) {
            let safe = sanitized(&text, longest);
            prop_assert!(safe.len() <= longest + '…'.len_utf8());
            prop_assert!(!safe.chars().any(is_unsafe));
        }
    }
}
