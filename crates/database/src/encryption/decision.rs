//! Whether the values of a database are encrypted with the old key or with the new one: decided from the values, without the
//! database.

use super::{
    cipher::{Key, Start},
    columns::Place,
};

/// The text whose encryption proves the key.
const PROOF: &str = "the encryption key of this database";

/// An encrypted value.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub place: Place,
    pub value: String,
}

/// What to do.
pub(super) enum Decision {
    /// All values are encrypted with the new key.
    Done,
    /// All values are encrypted with the old key. These are their texts.
    Encrypt(Vec<(Place, String)>),
}

/// Why nothing is encrypted with another key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Values are no text in the key of the database.
    #[error(
        "{} cannot be decrypted with the {key} key; set these credentials in Harbor again, or give the key that they are \
         encrypted with",
        list(places)
    )]
    Undecryptable {
        /// Which key, `old` or `new`.
        key: &'static str,
        /// Where they are.
        places: Vec<Place>,
    },
    /// The values are too short to tell which key is theirs.
    #[error(
        "the credentials in this database are too short to tell the two keys apart; choose another new key"
    )]
    Ambiguous,
}

fn list(places: &[Place]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = places.iter().take(SHOWN).map(ToString::to_string).collect();
    match places.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A value that only this key decrypts to the text that proves it.
pub(super) fn proof(key: &Key, start: Start) -> String {
    key.encrypt(PROOF, start)
}

/// Decides. `proof` is what the last change of the key has left in the database.
pub(super) fn decide(
    values: &[Value],
    proof: Option<&str>,
    old: &Key,
    new: &Key,
) -> Result<Decision, Refusal> {
    let proves = |key: &Key| proof.is_some_and(|proof| key.decrypt(proof).as_deref() == Some(PROOF));
    let lacks = |key: &Key| -> Vec<Place> {
        let lacking = values.iter().filter(|it| key.decrypt(&it.value).is_none());
        lacking.map(|it| it.place).collect()
    };
    let (not_old, not_new) = (lacks(old), lacks(new));
    if proves(new) || old == new {
        return match not_new {
            places if places.is_empty() => Ok(Decision::Done),
            places => Err(Refusal::Undecryptable { key: "new", places }),
        };
    }
    let texts: Vec<_> = values.iter().filter_map(|it| Some((it.place, old.decrypt(&it.value)?))).collect();
    let says_something = texts.iter().any(|(_, text)| !text.is_empty());
    match (not_old.is_empty(), not_new.is_empty()) {
        (true, true) if says_something && !proves(old) => Err(Refusal::Ambiguous),
        (true, _) => Ok(Decision::Encrypt(texts)),
        (false, true) => Ok(Decision::Done),
        (false, false) => Err(Refusal::Undecryptable { key: "old", places: not_old }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encryption::columns::COLUMNS;

    const START: Start = [9; 16];

    fn key(byte: u8) -> Key {
        Key::new(&[byte; 16]).unwrap()
    }

    fn place(id: i64) -> Place {
        Place { column: COLUMNS[0], id }
    }

    fn values(texts: &[(&str, &Key)]) -> Vec<Value> {
        let value = |(id, (text, key)): (i64, &(&str, &Key))| Value {
            place: place(id),
            value: key.encrypt(text, START),
        };
        (1..).zip(texts).map(value).collect()
    }

    /// The texts that are encrypted again, or nothing if that has been done.
    fn decided(values: Vec<Value>, proof: Option<&str>) -> Result<Option<Vec<String>>, Refusal> {
        Ok(match decide(&values, proof, &key(1), &key(2))? {
            Decision::Done => None,
            Decision::Encrypt(texts) => Some(texts.into_iter().map(|(_, text)| text).collect()),
        })
    }

    #[test]
    fn values_of_the_old_key_are_encrypted_again_and_values_of_the_new_key_stay() {
        let (old, new) = (key(1), key(2));
        let texts = ["Harbor12345", "another password", ""];
        let of = |key| values(&texts.map(|text| (text, key)));
        assert_eq!(decided(of(&old), None), Ok(Some(texts.map(str::to_owned).to_vec())));
        assert_eq!(decided(of(&new), None), Ok(None));
        assert_eq!(decided(of(&old), Some(&proof(&old, START))).map(|it| it.is_some()), Ok(true));
        assert_eq!(decided(of(&new), Some(&proof(&new, START))), Ok(None));
        assert_eq!(decided(Vec::new(), None), Ok(Some(Vec::new())));
    }

    #[test]
    fn one_value_that_neither_key_decrypts_refuses_everything_and_is_named() {
        let (old, new, other) = (key(1), key(2), key(3));
        let mixed = [("Harbor12345", &old), ("another password", &other)];
        let refused = Err(Refusal::Undecryptable { key: "old", places: vec![place(2)] });
        assert_eq!(decided(values(&mixed), None), refused);
        let mixed = [("Harbor12345", &new), ("another password", &old)];
        let refused = Refusal::Undecryptable { key: "new", places: vec![place(2)] };
        assert_eq!(decided(values(&mixed), Some(&proof(&new, START))), Err(refused.clone()));
        assert_eq!(
            refused.to_string(),
            "registry.access_secret (id 2) cannot be decrypted with the new key; set these credentials in Harbor again, or give \
             the key that they are encrypted with"
        );
    }

    #[test]
    fn values_that_fit_both_keys_are_decided_by_the_proof_and_refused_without_one() {
        let (old, new) = (key(1), key(2));
        let fits_both = |it: &Value| old.decrypt(&it.value).is_some() && new.decrypt(&it.value).is_some();
        let letters = ('a'..='z').map(|letter| letter.to_string());
        let short = letters
            .flat_map(|text| (0..=255).map(move |start| (text.clone(), start)))
            .map(|(text, start)| Value { place: place(1), value: key(1).encrypt(&text, [start; 16]) })
            .find(fits_both)
            .unwrap();
        let short = vec![short];
        assert_eq!(decided(short.clone(), None), Err(Refusal::Ambiguous));
        assert_eq!(decided(short.clone(), Some(&proof(&new, START))), Ok(None));
        let again = decided(short, Some(&proof(&old, START))).unwrap();
        assert_eq!(again.map(|texts| texts.len()), Some(1));
    }

    #[test]
    fn the_same_key_twice_changes_nothing() {
        let old = key(1);
        let same = decide(&values(&[("Harbor12345", &old)]), None, &old, &old);
        assert!(matches!(same, Ok(Decision::Done)));
    }
}
