//! Values that are made up once.

use std::collections::BTreeMap;

/// How a generated value is made, by whoever has dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Random letters and digits.
    Alphanumeric {
        /// How many.
        length: usize,
    },
    /// The value of another key of the same Secret.
    SameAs {
        /// That key: generated too, or in the Secret's `data`.
        key: String,
    },
    /// An htpasswd line for `user`: the bcrypt hash of another key of the same Secret.
    Htpasswd {
        /// Whose line.
        user: String,
        /// The key that holds the password: generated too, or in the Secret's `data`.
        password: String,
    },
}

/// Whoever has dice, or stands in for them.
pub trait SecretGenerator {
    /// Random letters and digits.
    fn alphanumeric(&self, length: usize) -> String;

    /// The bcrypt hash of a password, as htpasswd files hold it; `None` where it cannot have one.
    fn bcrypt(&self, password: &[u8]) -> Option<String>;
}

/// Why a value cannot be made up: always a mistake in a component, never a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmade {
    /// Keys refer to keys that are neither generated nor present, or to each other.
    #[error("data.{} cannot be made up: they refer to keys without a value", .0.join(", data."))]
    Unresolved(Vec<String>),
    /// A password that no htpasswd line can be made of.
    #[error("data.{0} cannot be made up: the password cannot be hashed")]
    Unhashable(String),
}

/// Every value that is to be made up for one Secret, in whatever order they refer to each other and to what is
/// `present` in it.
pub fn generated(
    generate: &BTreeMap<String, Recipe>,
    present: &BTreeMap<String, Vec<u8>>,
    maker: &impl SecretGenerator,
) -> Result<BTreeMap<String, Vec<u8>>, Unmade> {
    let mut made = BTreeMap::<String, Vec<u8>>::new();
    let mut waiting: BTreeMap<_, _> = generate.iter().collect();
    while !waiting.is_empty() {
        let mut blocked = BTreeMap::new();
        let before = waiting.len();
        for (key, recipe) in waiting {
            let known = |other: &String| made.get(other).or_else(|| present.get(other));
            let value = match recipe {
                Recipe::Alphanumeric { length } => Some(maker.alphanumeric(*length).into_bytes()),
                Recipe::SameAs { key: other } => known(other).cloned(),
                Recipe::Htpasswd { user, password } => match known(password) {
                    None => None,
                    Some(password) => {
                        let hash = maker.bcrypt(password).ok_or_else(|| Unmade::Unhashable(key.clone()))?;
                        Some(format!("{user}:{hash}").into_bytes())
                    }
                },
            };
            match value {
                Some(value) => {
                    made.insert(key.clone(), value);
                }
                None => {
                    blocked.insert(key, recipe);
                }
            }
        }
        if blocked.len() == before {
            return Err(Unmade::Unresolved(blocked.into_keys().cloned().collect()));
        }
        waiting = blocked;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

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

    fn made(
        generate: impl IntoIterator<Item = (&'static str, Recipe)>,
        present: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Result<BTreeMap<String, String>, Unmade> {
        let generate = generate.into_iter().map(|(key, recipe)| (key.to_owned(), recipe)).collect();
        let present = present.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let text = |(key, value)| (key, String::from_utf8(value).unwrap());
        generated(&generate, &present, &Plain).map(|made| made.into_iter().map(text).collect())
    }

    #[test]
    fn values_may_refer_to_each_other_in_any_order_and_to_what_is_there() {
        let line = |password: &str| Recipe::Htpasswd { user: "u".into(), password: password.into() };
        let made = made(
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
        assert_eq!(made, Ok(expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into()));
    }

    #[test]
    fn values_that_only_refer_to_each_other_are_an_error_that_names_them() {
        let error = made([("a", same_as("b")), ("b", same_as("a"))], []).unwrap_err();
        assert_eq!(error.to_string(), "data.a, data.b cannot be made up: they refer to keys without a value");
    }
}
