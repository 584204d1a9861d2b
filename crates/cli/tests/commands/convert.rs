use crate::run::{Folder, documents, failed, fixture, names};
use serde_json::{Value, json};

/// A folder with the manifests of v1alpha3.
fn folder() -> Folder {
    let folder = Folder::empty();
    folder.file("old.yaml", &fixture("v1alpha3.yaml"));
    folder
}

fn converted(folder: &Folder, arguments: &str) -> String {
    let ran = folder.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    ran.stdout
}

#[test]
fn objects_of_v1alpha3_are_printed_as_v1beta1_and_others_as_they_are() {
    let before = documents(&fixture("v1alpha3.yaml"));
    let after = documents(&converted(&folder(), "convert -f old.yaml"));

    assert_eq!(after[..2], before[..2], "Secrets");
    let versions: Vec<_> = after[2..].iter().map(|object| object["apiVersion"].as_str().unwrap()).collect();
    assert_eq!(versions, ["goharbor.io/v1beta1"; 3]);
    assert_eq!(
        after[3]["spec"]["storage"],
        json!({"kind": "FileSystem", "spec": {
            "fileSystem": {"registryPersistentVolume": {"claimName": "images"}},
            "redirect": {"enable": false},
        }})
    );
}

#[test]
fn what_is_converted_can_be_converted_again_and_stays() {
    let folder = folder();
    let once = converted(&folder, "convert -f old.yaml");
    folder.file("new.yaml", &once);
    assert_eq!(converted(&folder, "convert -f new.yaml"), once);
}

#[test]
fn files_come_from_directories_and_from_standard_input_and_go_out_as_json() {
    let folder = Folder::empty();
    folder.file("manifests/a.yaml", &fixture("v1alpha3.yaml"));
    let expected = converted(&folder, "convert -f manifests");
    let ran = folder.run_with_input("convert -f -", &fixture("v1alpha3.yaml"));
    assert_eq!((ran.code, ran.stdout), (Some(0), expected.clone()));
    let list: Value =
        serde_json::from_str(&converted(&folder, "convert -f manifests --output json")).unwrap();
    assert_eq!(list["items"], Value::Array(documents(&expected)));
}

#[test]
fn converted_installations_can_be_rendered_and_drawn() {
    let folder = folder();
    folder.file("new.yaml", &converted(&folder, "convert -f old.yaml"));

    let rendered = folder.run("render -f new.yaml --recursive");
    assert_eq!(rendered.code, Some(0), "{}", rendered.stderr);
    // The Secrets that the operator generates are not in the files.
    let is_expected = |line: &str| line.ends_with("here they are placeholders");
    assert!(rendered.stderr.lines().all(is_expected), "{}", rendered.stderr);
    let names = names(&rendered.stdout);
    for expected in [
        "RedisFailover run-redis",
        "Tenant minio-run",
        "Harbor run-harbor",
        "Deployment exists-harbor-harbor-core",
        "Deployment alone-harbor-portal",
    ] {
        assert!(names.contains(&expected.to_owned()), "{expected} is not among {names:#?}");
    }
    let drawn = folder.run("graph -f new.yaml");
    assert_eq!((drawn.code, drawn.stderr.as_str()), (Some(0), ""));
    assert!(drawn.stdout.contains("run-harbor"), "{}", drawn.stdout);
}

#[test]
fn all_objects_that_cannot_be_converted_are_named_with_file_and_field_and_none_is_printed() {
    let folder = folder();
    folder
        .replace("old.yaml", "  inClusterCache:\n    kind: Redis\n", "  cache:\n    kind: RedisFailover\n")
        .replace("old.yaml", "      disable: true", "      disable: yes please");
    let expected = "\
error: old.yaml (document 3): HarborCluster registry/run: spec.cache: is a field of v1beta1, but apiVersion is \
goharbor.io/v1alpha3; change one of them
error: old.yaml (document 4): HarborCluster registry/exists: spec.imageChartStorage.redirect.disable: must be true or false
";
    assert_eq!(folder.run("convert -f old.yaml"), failed(expected));
}

#[test]
fn a_kind_that_v1alpha3_never_had_is_refused() {
    let folder = Folder::empty();
    folder.file("in.yaml", "apiVersion: goharbor.io/v1alpha3\nkind: HarborRobot\nmetadata: {name: ci}\n");
    let expected =
        "error: in.yaml: HarborRobot ci: kind: HarborRobot does not exist in v1alpha3; use v1beta1\n";
    assert_eq!(folder.run("convert -f in.yaml"), failed(expected));
}

#[test]
fn a_misspelt_field_is_reported() {
    let folder = folder();
    folder.replace("old.yaml", "  registryctl: {}\n", "  registryctll: {}\n");
    let ran = folder.run("convert -f old.yaml");
    let expected = "warning: old.yaml (document 3): HarborCluster registry/run: spec.registryctll is not a field of \
                    HarborCluster; the API server drops it\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), expected));
}
