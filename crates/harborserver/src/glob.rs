//! Patterns of names: `*` and `?` within a segment, `**` across segments, `{a,b}` for either.

/// Whether a text fits a pattern.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| {
        let pattern: Vec<char> = pattern.chars().collect();
        let text: Vec<char> = text.chars().collect();
        fits(&pattern, &text)
    })
}

/// The patterns that the braces of a pattern stand for. More than 64 are cut off.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(pattern) = open.pop() {
        let braces = pattern.find('{').and_then(|start| {
            let end = pattern.get(start..)?.find('}')? + start;
            Some((pattern.get(..start)?, pattern.get(start + 1..end)?, pattern.get(end + 1..)?))
        });
        match braces {
            Some((before, choices, after)) if open.len() + done.len() < 64 => {
                open.extend(choices.split(',').map(|choice| format!("{before}{choice}{after}")));
            }
            _ => done.push(pattern),
        }
    }
    done
}

/// A piece of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Letter(char),
    /// `?`
    One,
    /// `*`
    Some,
    /// `**`
    All,
    /// `**/`, which also stands for nothing.
    Folders,
}

fn pieces(pattern: &[char]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    loop {
        let (piece, after) = match rest {
            [] => return pieces,
            ['*', '*', '/', after @ ..] => (Piece::Folders, after),
            ['*', '*', after @ ..] => (Piece::All, after),
            ['*', after @ ..] => (Piece::Some, after),
            ['?', after @ ..] => (Piece::One, after),
            [letter, after @ ..] => (Piece::Letter(*letter), after),
        };
        pieces.push(piece);
        rest = after;
    }
}

/// Looks at every piece and letter once, so that no pattern is expensive.
fn fits(pattern: &[char], text: &[char]) -> bool {
    // Whether the pieces so far fit the first letters, by the number of letters.
    let mut reached = vec![false; text.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for piece in pieces(pattern) {
        let mut next = vec![false; text.len() + 1];
        let mut open = false;
        for (index, before) in reached.iter().enumerate() {
            let letter = index.checked_sub(1).and_then(|last| text.get(last));
            let one_before =
                index.checked_sub(1).and_then(|last| reached.get(last)).copied().unwrap_or(false);
            let fits = match piece {
                Piece::Letter(wanted) => one_before && letter == Some(&wanted),
                Piece::One => one_before && letter.is_some_and(|letter| *letter != '/'),
                Piece::Some => {
                    open = *before || open && letter.is_some_and(|letter| *letter != '/');
                    open
                }
                Piece::All => {
                    open |= *before;
                    open
                }
                Piece::Folders => {
                    let ends = open && letter == Some(&'/');
                    open |= *before;
                    ends || *before
                }
            };
            if let Some(slot) = next.get_mut(index) {
                *slot = fits;
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stay_within_a_segment_unless_doubled() {
        assert!(matches("v*", "v1"));
        assert!(!matches("v*", "x1"));
        assert!(matches("alpha/**", "alpha/deep/path"));
        assert!(!matches("alpha/*", "alpha/deep/path"));
        assert!(matches("**", ""));
        assert!(matches("**/app", "app"));
        assert!(matches("{v1,v2}", "v2"));
        assert!(matches("a?c", "abc"));
        assert!(!matches("[", "v1"));
        assert!(matches("alpha/**/x", "alpha/deep/path/x"));
    }

    #[test]
    fn hostile_patterns_take_no_time() {
        assert!(!matches(&"**a".repeat(200), &"b".repeat(2_000)));
        assert!(!matches(&"{a,b}".repeat(200), "c"));
    }
}
