//! Default values that serde and the schema share, and `Default` derived from them.

/// A 32-bit integer default.
pub(crate) const fn int<const N: i32>() -> i32 {
    N
}

/// A 64-bit integer default.
pub(crate) const fn long<const N: i64>() -> i64 {
    N
}

/// A switch that is on unless turned off.
pub(crate) const fn on() -> bool {
    true
}

/// Implements `Default` as "what an empty object decodes to", so that a default exists in one place only: the serde
/// attribute, from which the schema takes it too.
macro_rules! default_is_the_empty_object {
    ($($type:ty),+ $(,)?) => {
        $(
            impl Default for $type {
                fn default() -> Self {
                    let nothing = std::iter::empty::<((), ())>();
                    let object = serde::de::value::MapDeserializer::<_, serde::de::value::Error>::new(nothing);
                    serde::Deserialize::deserialize(object).expect("every field has a default")
                }
            }
        )+

        #[cfg(test)]
        mod every_field_has_a_default {
            use super::*;

            #[test]
            fn so_the_default_is_what_an_empty_object_decodes_to() {
                $(
                    let decoded: $type = serde_json::from_str("{}").unwrap();
                    assert_eq!(<$type>::default(), decoded);
                )+
            }
        }
    };
}
