//! Reads the objects of a review one after the other.

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};
use std::{borrow::Cow, fmt};

/// Calls `visit` with each object in `request.objects` of a body, until it fails.
///
/// # Errors
/// If the body is not JSON of this form, or if `visit` fails.
pub(super) fn each(
    body: &[u8],
    visit: impl FnMut(Value) -> Result<(), String>,
) -> Result<(), serde_json::Error> {
    let objects = Within { field: "objects", seed: Each(visit) };
    Within { field: "request", seed: objects }.deserialize(&mut Deserializer::from_slice(body))
}

/// One field of a map. The others are skipped.
struct Within<S> {
    field: &'static str,
    seed: S,
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> DeserializeSeed<'de> for Within<S> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> Visitor<'de> for Within<S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the field {}", self.field)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seed = Some(self.seed);
        while let Some(field) = map.next_key::<Cow<'de, str>>()? {
            match seed.take_if(|_| field == self.field) {
                Some(seed) => map.next_value_seed(seed)?,
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// All elements of a list.
struct Each<V>(V);

impl<'de, V: FnMut(Value) -> Result<(), String>> DeserializeSeed<'de> for Each<V> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, V: FnMut(Value) -> Result<(), String>> Visitor<'de> for Each<V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(object) = list.next_element()? {
            (self.0)(object).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
