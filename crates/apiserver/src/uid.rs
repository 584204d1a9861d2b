//! Identifiers that nobody had before.

use std::fmt::Write;

/// A random UUID, version 4.
pub(crate) fn random() -> String {
    let mut bytes: [u8; 16] = rand::random();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes.iter().enumerate().fold(String::with_capacity(36), |mut uid, (index, byte)| {
        if matches!(index, 4 | 6 | 8 | 10) {
            uid.push('-');
        }
        // Writing to a String cannot fail.
        let _ = write!(uid, "{byte:02x}");
        uid
    })
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn an_identifier_has_the_form_of_a_random_uuid() {
        let form = regex::Regex::new("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$");
        assert!(form.expect("a pattern").is_match(&random()));
        assert_ne!(random(), random());
    }
}
