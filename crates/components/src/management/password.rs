//! The passwords of users and robot accounts.

use crate::values::Fault;

/// What Harbor requires of a password.
pub(crate) fn check_password(password: &[u8]) -> Result<(), Fault> {
    const REMEDY: &str = "use 8 to 128 characters, of which at least one is an upper-case letter, one a lower-case letter \
                          and one a digit";
    let text = std::str::from_utf8(password)
        .map_err(|_| Fault::new("is not text", "write the password in UTF-8, without other bytes"))?;
    let has = |is_one: fn(&char) -> bool| text.chars().any(|it| is_one(&it));
    match text.chars().count() {
        0..8 => Err(Fault::new("is too short for a password", REMEDY)),
        129.. => Err(Fault::new("is too long for a password", REMEDY)),
        _ if has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit) => {
            Ok(())
        }
        _ => Err(Fault::new("is no password that Harbor accepts", REMEDY)),
    }
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
