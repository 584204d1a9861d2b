//! How values of Secrets are generated.

use k8s_openapi::ByteString;
use serde_json::Value;
use std::collections::BTreeMap;

/// How the operator generates a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Random letters and digits.
    Alphanumeric {
        /// The number of characters.
        length: usize,
    },
    /// Random letters and digits, of which at least one is an upper-case letter, one a lower-case letter and one a digit:
    /// what Harbor requires of passwords.
    Password {
        /// The number of characters, at least three.
        length: usize,
    },
    /// The value of another key of the same Secret.
    SameAs {
        /// The other key: also generated, or in the Secret's `data`.
        key: String,
    },
    /// An htpasswd line for `user`: the bcrypt hash of another key of the same Secret.
    Htpasswd {
        /// The name of the user.
        user: String,
        /// The key that holds the password: also generated, or in the Secret's `data`.
        password: String,
    },
}

/// A source of random values, or of placeholders.
pub trait SecretGenerator {
    /// Random letters and digits.
    fn alphanumeric(&self, length: usize) -> String;

    /// Random letters and digits with at least one character of each class, see [`Recipe::Password`].
    fn password(&self, length: usize) -> String {
        // Drawn again as a whole, so that each password is as likely as any other. A source that is not random, such as that
        // of placeholders, never gets there: then the first characters are fixed.
        let mut drawn = std::iter::repeat_with(|| self.alphanumeric(length)).take(DRAWS);
        drawn.find(|it| is_mixed(it)).unwrap_or_else(|| {
            let rest = self.alphanumeric(length);
            "Aa0".chars().chain(rest.chars().skip(3)).take(length).collect()
        })
    }

    /// The bcrypt hash of a password, in the format of htpasswd files; `None` if it cannot be hashed.
    fn bcrypt(&self, password: &[u8]) -> Option<String>;
}

/// How often a password is drawn. One of 8 characters lacks a class four times in ten, one of 32 once in 150.
const DRAWS: usize = 200;

/// Whether a password has a character of each class.
fn is_mixed(password: &str) -> bool {
    let has = |is_one: fn(&char) -> bool| password.chars().any(|it| is_one(&it));
    has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit)
}

/// Why a value cannot be generated: always a mistake in a component. Never contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Keys refer to keys that are neither generated nor present, or to each other.
    #[error("data.{} cannot be generated: they refer to keys without a value", .0.join(", data."))]
    Unresolved(Vec<String>),
    /// The password of an htpasswd line cannot be hashed.
    #[error("data.{0} cannot be generated: the password cannot be hashed")]
    Unhashable(String),
}

/// Generates all values of one Secret. They may refer to each other in any order, and to values that are `present`.
pub fn generated(
    generate: &BTreeMap<String, Recipe>,
    present: &BTreeMap<String, Vec<u8>>,
    generator: &impl SecretGenerator,
) -> Result<BTreeMap<String, Vec<u8>>, GenerateError> {
    let mut values = BTreeMap::<String, Vec<u8>>::new();
    let mut waiting: BTreeMap<_, _> = generate.iter().collect();
    while !waiting.is_empty() {
        let mut blocked = BTreeMap::new();
        let before = waiting.len();
        for (key, recipe) in waiting {
            let known = |other: &String| values.get(other).or_else(|| present.get(other));
            let value = match recipe {
                Recipe::Alphanumeric { length } => Some(generator.alphanumeric(*length).into_bytes()),
                Recipe::Password { length } => Some(generator.password(*length).into_bytes()),
                Recipe::SameAs { key: other } => known(other).cloned(),
                Recipe::Htpasswd { user, password } => match known(password) {
                    None => None,
                    Some(password) => {
                        let hash = generator
                            .bcrypt(password)
                            .ok_or_else(|| GenerateError::Unhashable(key.clone()))?;
                        Some(format!("{user}:{hash}").into_bytes())
                    }
                },
            };
            match value {
                Some(value) => {
                    values.insert(key.clone(), value);
                }
                None => {
                    blocked.insert(key, recipe);
                }
            }
        }
        if blocked.len() == before {
            return Err(GenerateError::Unresolved(blocked.into_keys().cloned().collect()));
        }
        waiting = blocked;
    }
    Ok(values)
}

/// The decoded data of a Secret. Leaves values out that are not base64.
pub fn secret_data(secret: &Value) -> BTreeMap<String, Vec<u8>> {
    let entries = secret.get("data").and_then(Value::as_object).into_iter().flatten();
    let decoded = |(name, value): (&String, &Value)| {
        Some((name.clone(), serde_json::from_value::<ByteString>(value.clone()).ok()?.0))
    };
    entries.filter_map(decoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    struct Plain;

    /// Random enough: a linear congruential generator.
    struct Seeded(Cell<u64>);

    impl SecretGenerator for Seeded {
        fn alphanumeric(&self, length: usize) -> String {
            const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
            let letter = || {
                self.0.set(self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
                char::from(LETTERS[(self.0.get() >> 33) as usize % LETTERS.len()])
            };
            std::iter::repeat_with(letter).take(length).collect()
        }

        fn bcrypt(&self, _: &[u8]) -> Option<String> {
            None
        }
    }

    /// Always the same character.
    struct Constant(char);

    impl SecretGenerator for Constant {
        fn alphanumeric(&self, length: usize) -> String {
            std::iter::repeat_n(self.0, length).collect()
        }

        fn bcrypt(&self, _: &[u8]) -> Option<String> {
            None
        }
    }

    proptest! {
        #[test]
        fn a_password_has_the_length_asked_for_and_a_character_of_each_class(
            seed in any::<u64>(), length in 3..64_usize, constant in "[A-Za-z0-9]",
        ) {
            let constant = Constant(constant.chars().next().unwrap());
            for password in [Seeded(Cell::new(seed)).password(length), constant.password(length)] {
                prop_assert_eq!(password.len(), length);
                prop_assert!(password.chars().all(|it| it.is_ascii_alphanumeric()), "{}", password);
                prop_assert!(is_mixed(&password), "{}", password);
            }
        }
    }

    impl SecretGenerator for Plain {
        fn alphanumeric(&self, length: usize) -> String {
            "x".repeat(length)
        }

        fn bcrypt(&self, password: &[u8]) -> Option<String> {
            Some(format!("hash of {}", String::from_utf8_lossy(password)))
        }
    }

    fn same_as(key: &str) -> Recipe {
        Recipe::SameAs { key: key.into() }
    }

    fn results(
        generate: impl IntoIterator<Item = (&'static str, Recipe)>,
        present: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Result<BTreeMap<String, String>, GenerateError> {
        let generate = generate.into_iter().map(|(key, recipe)| (key.to_owned(), recipe)).collect();
        let present = present.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let text = |(key, value)| (key, String::from_utf8(value).unwrap());
        generated(&generate, &present, &Plain).map(|values| values.into_iter().map(text).collect())
    }

    #[test]
    fn values_may_refer_to_each_other_in_any_order_and_to_present_values() {
        let line = |password: &str| Recipe::Htpasswd { user: "u".into(), password: password.into() };
        let results = results(
            [
                ("a", same_as("b")),
                ("b", same_as("c")),
                ("c", Recipe::Alphanumeric { length: 3 }),
                ("d", line("a")),
                ("e", line("given")),
            ],
            [("given", "y")],
        );
        let expected =
            [("a", "xxx"), ("b", "xxx"), ("c", "xxx"), ("d", "u:hash of xxx"), ("e", "u:hash of y")];
        assert_eq!(results, Ok(expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into()));
    }

    #[test]
    fn a_cycle_of_references_is_an_error_that_names_the_keys() {
        let error = results([("a", same_as("b")), ("b", same_as("a"))], []).unwrap_err();
        assert_eq!(
            error.to_string(),
            "data.a, data.b cannot be generated: they refer to keys without a value"
        );
    }
}
