//! Parses names of classes.

/// Parses the name of a class; a variable may be empty.
///
/// An annotation may have any text, and so may objects of the old operator. Refuses a class with control characters,
/// usually a trailing line break: no object would have that class.
pub fn class(text: &str) -> Result<String, String> {
    if text.trim() == text && !text.contains(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err("leave out spaces at either end, line breaks and other control characters".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn a_class_that_no_object_can_have_is_refused() {
        for good in ["", "blue", "Team A", "example.com/blue_1", "café", &"x".repeat(300)] {
            assert_eq!(class(good), Ok(good.to_owned()));
        }
        for bad in [" ", "blue\n", " blue", "blue\u{a0}", "a\tb", "a\u{1b}b"] {
            assert!(class(bad).is_err(), "{bad:?}");
        }
    }
}
