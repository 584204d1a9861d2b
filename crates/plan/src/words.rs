//! Words of others, fit to be told: in conditions, events, logs and on a terminal.

/// `text` on one line, without characters that a terminal obeys, and no longer than `longest` bytes and an ellipsis.
///
/// Other programs decide what their statuses say, and users what their fields are called. Whatever that is, it must not
/// fill the memory, be too long for the API server, forge a line of a log or move a cursor.
pub fn told(text: &str, longest: usize) -> String {
    let mut told = String::new();
    for c in text.chars().map(|c| if is_unfit(c) { ' ' } else { c }) {
        if told.len() + c.len_utf8() > longest {
            told.push('…');
            break;
        }
        told.push(c);
    }
    told
}

/// Control characters, and those that reorder or hide what is around them.
fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_stay_as_they_are_unless_they_are_long_or_more_than_words() {
        assert_eq!(told("PostgreSQL läuft", 100), "PostgreSQL läuft");
        assert_eq!(told("a\nlevel=info\x1b[2J\0\u{202e}", 100), "a level=info [2J  ");
        assert_eq!(told("abcdef", 3), "abc…");
        assert_eq!(told("ääää", 3), "ä…", "never half a character");
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_one_line_of_bounded_length(text in any::<String>(), longest in 0_usize..40) {
            let words = told(&text, longest);
            prop_assert!(words.len() <= longest + '…'.len_utf8());
            prop_assert!(!words.chars().any(is_unfit));
        }
    }
}
