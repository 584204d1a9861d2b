//! Unique identifiers.

/// A random UUID, version 4.
pub(crate) fn random() -> String {
    of(rand::random())
}

/// The UUID with these random bits.
pub(crate) fn of(bits: u128) -> String {
    // Version 4, variant 1, as in every random UUID.
    let bits = (bits & !(0xf << 76) | (0x4 << 76)) & !(0x3 << 62) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
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
