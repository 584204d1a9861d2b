//! Arbitrary JSON is converted or refused, without a panic, and what is converted comes back.

use api::conversion::{Version, convert, kinds};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// Names that mean something to the conversion, and one that means nothing.
const NAMES: [&str; 24] = [
    "metadata",
    "annotations",
    "goharbor.io/v1beta1-fields",
    "spec",
    "status",
    "kind",
    "cache",
    "database",
    "storage",
    "redis",
    "redisFailover",
    "redisSpec",
    "postgresql",
    "imageChartStorage",
    "filesystem",
    "fileSystem",
    "s3",
    "redirect",
    "disable",
    "enable",
    "inClusterCache",
    "inClusterStorage",
    "minIOSpec",
    "other",
];

fn json() -> impl Strategy<Value = Value> {
    let texts = ["Redis", "RedisFailover", "MinIO", "S3", "FileSystem", "[]", "[{\"field\":[]}]", "{", ""];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        select(texts.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 8, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..3).prop_map(Value::from),
            4 => vec((select(NAMES.to_vec()), inner), 0..8).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
            }),
        ]
    })
}

/// An object whose version and kind are right, and nothing else.
fn object() -> impl Strategy<Value = Value> {
    let version = select(Version::ALL.map(Version::api_version).to_vec());
    (version, select(kinds().collect::<Vec<_>>()), json(), json()).prop_map(|(version, kind, spec, metadata)| {
        json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_converted_or_refused(value in json()) {
        for version in Version::ALL {
            let _ = convert(value.clone(), version);
        }
    }

    #[test]
    fn any_object_is_converted_or_refused_and_its_spec_comes_back(object in object()) {
        for version in Version::ALL {
            let Ok(converted) = convert(object.clone(), version) else { continue };
            prop_assert_eq!(&converted["apiVersion"], version.api_version());
            if object["apiVersion"] == "goharbor.io/v1beta1" && version == Version::V1alpha3 {
                let back = convert(converted, Version::V1beta1).unwrap();
                prop_assert_eq!(&back["spec"], &object["spec"]);
            }
        }
    }
}
