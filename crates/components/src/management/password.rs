//! The passwords of users and robot accounts.

use crate::values::Fault;

/// What Harbor requires of a password.
pub(crate) fn check_password(password: &[u8]) -> Result<(), Fault> {
    let text = std::str::from_utf8(password)
        .map_err(|_| Fault::new("is not text", "write the password in UTF-8, without other bytes"))?;
    harbor::users::check_password(text).map_err(|problem| Fault::new(problem, harbor::users::PASSWORD_RULES))
}

#[cfg(test)]
mod tests {
    use super::check_password;

    #[test]
    fn a_password_needs_eight_characters_with_a_character_of_each_class() {
        let long = format!("Aa0{}", "x".repeat(125));
        for good in ["Harbor12", long.as_str()] {
            assert!(check_password(good.as_bytes()).is_ok(), "{good}");
        }
        let too_long = format!("{long}x");
        for bad in ["Harbor1", "harbor12", "HARBOR12", "Harborrr", too_long.as_str()] {
            assert!(check_password(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(check_password(b"Harbor12\xff").is_err());
    }
}
