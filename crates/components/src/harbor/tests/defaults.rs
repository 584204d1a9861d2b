//! The operator's defaults for objects.

use super::{Harbor, a_harbor, names};
use crate::{cases::Case, core::Core, harborcluster::HarborCluster};
use api::names::NETWORK_POLICIES_ANNOTATION;
use plan::{Component, Defaults, NetworkPolicies};
use serde_json::{Value, json};

fn mirrored<C: Component>(case: Case<C>) -> Case<C> {
    let defaults = Defaults {
        image_repository: Some("registry.example.com/mirror/".into()),
        image_tag_suffix: Some("-fips".into()),
        ..Defaults::default()
    };
    Case { defaults, ..case }
}

fn image(child: &Value) -> &str {
    child["spec"]["image"].as_str().unwrap()
}

#[test]
fn images_of_a_harbor_come_from_the_mirror_of_the_operator() {
    let harbor = mirrored(a_harbor()).set("/spec/version", json!("2.15.0"));
    assert_eq!(image(&harbor.child("Core")), "registry.example.com/mirror/harbor-core:v2.15.0-fips");
}

#[test]
fn what_a_harbor_says_of_its_images_wins_each_for_itself() {
    let harbor = || mirrored(a_harbor()).set("/spec/version", json!("2.15.0"));
    let cases = [
        (json!({"repository": "own.example.com"}), "own.example.com/harbor-core:v2.15.0-fips"),
        (json!({"tagSuffix": "-mine"}), "registry.example.com/mirror/harbor-core:v2.15.0-mine"),
        (json!({"repository": "", "tagSuffix": ""}), "registry.example.com/mirror/harbor-core:v2.15.0-fips"),
    ];
    for (source, expected) in cases {
        assert_eq!(image(&harbor().set("/spec/imageSource", source).child("Core")), expected);
    }
}

#[test]
fn a_component_without_harbor_comes_from_the_mirror_too_unless_it_names_its_image() {
    let container = |case: &Case<Core>| {
        let deployment = case.child("Deployment");
        deployment["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()
    };
    let core =
        || mirrored(Case::<Core>::golden("minimal")).annotated(api::names::VERSION_ANNOTATION, "2.15.0");
    assert_eq!(container(&core()), "registry.example.com/mirror/harbor-core:v2.15.0-fips");
    assert_eq!(container(&core().set("/spec/image", json!("own/core:1"))), "own/core:1");
}

#[test]
fn minio_comes_from_the_mirror_too() {
    let cluster = mirrored(Case::<HarborCluster>::golden("versions")).set("/spec/version", json!("2.15.0"));
    let expected = "registry.example.com/mirror/minio:RELEASE.2025-04-08T15-41-24Z-fips";
    assert_eq!(image(&cluster.child("Tenant")), expected);
}

#[test]
fn network_policies_are_as_the_operator_says_unless_the_harbor_does() {
    let policies = |said: Option<&str>, default| {
        let defaults = Defaults { network_policies: default, ..Defaults::default() };
        let harbor: Case<Harbor> = Case { defaults, ..a_harbor() };
        let harbor = match said {
            Some(said) => harbor.annotated(NETWORK_POLICIES_ANNOTATION, said),
            None => harbor,
        };
        !names(&harbor, "NetworkPolicy").is_empty()
    };
    assert!(policies(None, NetworkPolicies::Enabled));
    assert!(!policies(None, NetworkPolicies::Disabled));
    assert!(!policies(Some("false"), NetworkPolicies::Enabled));
    assert!(policies(Some("true"), NetworkPolicies::Disabled));
}
