//! Finds duplicate keys in a JSON text, which a parsed value no longer shows.

use super::path::Path;
use crate::failure::Failure;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{collections::HashSet, fmt};

/// The duplicate keys of a JSON text, in the wording of strict decoding; none if the text is malformed.
pub(crate) fn duplicates(body: &[u8]) -> Vec<String> {
    let mut search = Search::default();
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    // The decoder reports a text that cannot be parsed.
    match search.deserialize(&mut deserializer) {
        Ok(()) => search.found,
        Err(_) => Vec::new(),
    }
}

/// The failure of a request with strict decoding.
pub(crate) fn strict_failure(kind: &str, version: &str, problems: &[String]) -> Failure {
    let problems = problems.join(", ");
    Failure::bad_request(format!(
        "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {problems}"
    ))
}

/// How many problems are reported.
pub(super) const MOST: usize = 100;

#[derive(Default)]
struct Search {
    path: Path,
    found: Vec<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Search {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.path.is_too_deep() {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Search {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let mark = self.path.field(&key);
            if !seen.insert(key) {
                let problem = format!("duplicate field {:?}", self.path.text());
                if self.found.len() < MOST && !self.found.contains(&problem) {
                    self.found.push(problem);
                }
            }
            map.next_value_seed(&mut *self)?;
            self.path.leave(mark);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let mark = self.path.index(index);
            let item = items.next_element_seed(&mut *self)?;
            self.path.leave(mark);
            if item.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
