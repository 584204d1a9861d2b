//! Changes of where data is.

use super::Harbor;
use crate::cases::Case;
use api::names::MOVED_ANNOTATION;
use serde_json::{Value, json};

/// A Harbor whose components exist as the operator applied them.
fn existing(spec: &[(&str, Value)]) -> Case<Harbor> {
    let set = |case: Case<Harbor>, (pointer, value): &(&str, Value)| case.set(pointer, value.clone());
    let mut case = spec.iter().fold(Case::golden("minimal"), set);
    let children = case.children().into_iter();
    case.inputs.extend(children.filter(|it| it["kind"] == "Registry" || it["kind"] == "Core"));
    for name in ["acme-harbor-registry", "acme-harbor-core"] {
        case.inputs.push(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "registry"},
        }));
    }
    case
}

fn store(kind: &str, store: Value) -> (&'static str, Value) {
    ("/spec/imageChartStorage", json!({kind: store}))
}

#[test]
fn what_exists_may_stay_where_it_is() {
    assert_eq!(existing(&[]).plan().err(), None);
}

#[test]
fn images_are_not_looked_for_on_another_claim() {
    let case = existing(&[])
        .set("/spec/imageChartStorage/filesystem/registryPersistentVolume/claimName", json!("others"));
    assert_eq!(
        case.error(),
        "spec.imageChartStorage: Harbor registry/acme has its data in the volume \"images\", and not in the volume \
         \"others\"; restore the former, or move the data, if there is any, and then set the annotation \
         goharbor.io/data-moved: storage",
    );
    assert_eq!(case.annotated(MOVED_ANNOTATION, "cache,storage").plan().err(), None);
}

#[test]
fn another_store_bucket_or_directory_is_another_place() {
    let s3 = |bucket: &str, root: &str| {
        store("s3", json!({"region": "eu", "bucket": bucket, "rootdirectory": root}))
    };
    let gcs = |bucket: &str| store("gcs", json!({"bucket": bucket, "keyDataRef": "key"}));
    let volume =
        store("filesystem", json!({"registryPersistentVolume": {"claimName": "images", "prefix": "a"}}));
    for (from, to, expected) in [
        (s3("a", "/"), s3("b", "/"), r#"in the S3 bucket "a", and not in the S3 bucket "b""#),
        (s3("a", "/x"), s3("a", "/y"), r#"directory "x" of the S3 bucket "a", and not in directory "y""#),
        (s3("a", ""), gcs("a"), r#"in the S3 bucket "a", and not in the Google bucket "a""#),
        (gcs("a"), volume, r#"the Google bucket "a", and not in directory "a" of the volume "images""#),
    ] {
        let error = existing(&[from]).set(to.0, to.1).error();
        assert!(
            error.starts_with("spec.imageChartStorage: ") && error.contains(expected),
            "{expected}\n{error}"
        );
    }
}

#[test]
fn the_database_is_not_looked_for_under_another_name() {
    let case = existing(&[]).set("/spec/database/prefix", json!("other-"));
    assert_eq!(
        case.error(),
        "spec.database.prefix: Harbor registry/acme has its data in the database \"core\", and not in the database \
         \"other-core\"; restore the former, or move the data, if there is any, and then set the annotation \
         goharbor.io/data-moved: database",
    );
    let moved = existing(&[]).set("/spec/database/prefix", json!("other-"));
    assert_eq!(moved.annotated(MOVED_ANNOTATION, "database").plan().err(), None);
}

#[test]
fn all_data_that_would_no_longer_be_used_is_reported_at_once() {
    let case = existing(&[])
        .set("/spec/database/prefix", json!("other-"))
        .set("/spec/imageChartStorage/filesystem/registryPersistentVolume/claimName", json!("others"));
    let error = case.error();
    for field in ["spec.database.prefix: ", "spec.imageChartStorage: "] {
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn another_name_of_a_server_is_no_other_place() {
    let s3 = |endpoint: &str| {
        store("s3", json!({"region": "eu", "bucket": "a", "regionendpoint": format!("https://{endpoint}")}))
    };
    let (pointer, moved) = s3("b.example.com");
    let renamed = existing(&[s3("a.example.com")])
        .set(pointer, moved)
        .set("/spec/database/hosts", json!([{"host": "other.example.com"}]))
        .set("/spec/redis/host", json!("other.example.com"));
    assert_eq!(renamed.plan().err(), None);
}

#[test]
fn a_harbor_that_never_began_may_be_anywhere() {
    let mut case = existing(&[]).set("/spec/database/prefix", json!("other-"));
    case.inputs.retain(|input| input["kind"] != "ConfigMap");
    assert_eq!(case.plan().err(), None);
}
