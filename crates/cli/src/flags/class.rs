//! Names of classes, parsed where they come in.

/// The name of a class as a flag says it, where a variable may be set to nothing.
///
/// An annotation may hold any text, and objects of the old operator may have any. Refused is only what nobody means: it
/// comes of a line break at the end of a file, and no object would be of that class.
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
    fn what_no_object_has_for_a_class_is_refused() {
        for good in ["", "blue", "Team A", "example.com/blue_1", "café", &"x".repeat(300)] {
            assert_eq!(class(good), Ok(good.to_owned()));
        }
        for bad in [" ", "blue\n", " blue", "blue\u{a0}", "a\tb", "a\u{1b}b"] {
            assert!(class(bad).is_err(), "{bad:?}");
        }
    }
}
