//! Bad input gets a message that names the file, the object, the field and what to do, and never a secret.

use crate::run::{Folder, failed};

const RENDER: &str = "render -f core.yaml --inputs inputs";

#[test]
fn a_file_that_does_not_exist() {
    let expected = "error: core.yaml: does not exist; check the path\n";
    assert_eq!(Folder::empty().run("render -f core.yaml"), failed(expected));
}

#[test]
fn a_directory_in_place_of_a_file() {
    let expected = "error: inputs: is a directory; give the files in it, or give it with --inputs\n";
    assert_eq!(Folder::with_a_core().run("render -f inputs"), failed(expected));
}

#[test]
fn a_directory_of_inputs_that_does_not_exist() {
    let expected = "error: nowhere: cannot be listed (entity not found); \
                    give --inputs a directory with files of Secrets and ConfigMaps\n";
    assert_eq!(Folder::with_a_core().run("render -f core.yaml --inputs nowhere"), failed(expected));
}

#[test]
fn errors_in_all_files_are_reported_at_once() {
    let folder = Folder::empty();
    folder.file("a.yaml", "a: b: c").file("b.json", "{");
    let expected = "\
error: a.yaml: is not valid YAML: mapping values are not allowed in this context at line 1, column 5; correct the file
error: b.json: is not valid JSON: EOF while parsing an object at line 1 column 1; correct the file
error: c.yaml: does not exist; check the path
";
    assert_eq!(folder.run("graph -f a.yaml b.json c.yaml"), failed(expected));
}

#[test]
fn a_password_that_yaml_takes_for_something_else_is_not_quoted() {
    for (password, expected) in [
        (
            "*hunter2",
            "is not valid YAML: a value that begins with * is an alias at line 1, column 11; put it in quotes; correct the file",
        ),
        (
            "1e999",
            "has a value that is not a number at line 1, column 11; put it in quotes; correct the file",
        ),
        (
            "!!int hunter2",
            "has a value that is not a number at line 1, column 17; put it in quotes; correct the file",
        ),
    ] {
        let folder = Folder::empty();
        folder.file("in.yaml", &format!("password: {password}\n"));
        assert_eq!(folder.run("render -f in.yaml"), failed(&format!("error: in.yaml: {expected}\n")));
    }
}

#[test]
fn aliases_are_fine_in_a_file_until_they_stand_for_too_much() {
    let folder = Folder::empty();
    let line =
        |level: usize| format!("a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(", "));
    let lines: Vec<String> = std::iter::once("a0: &a0 [1]".to_owned()).chain((1..20).map(line)).collect();
    folder.file("in.yaml", &lines.join("\n"));
    let ran = folder.run("render -f in.yaml");
    assert_eq!(ran, failed(&ran.stderr));
    let expected = "error: in.yaml: is too large, with aliases expanded at line ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_key_that_is_there_twice() {
    let folder = Folder::empty();
    folder.file("core.yaml", "kind: Core\nkind: Core\n");
    let expected =
        "error: core.yaml: the key \"kind\" is there twice at line 2, column 1; correct the file\n";
    assert_eq!(folder.run("render -f core.yaml"), failed(expected));
}

#[test]
fn a_document_that_is_no_object() {
    let folder = Folder::empty();
    folder.file("in.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n---\nreplicas: 3\n");
    let expected =
        "error: in.yaml (document 2): is not a Kubernetes object: apiVersion or kind is missing; add both\n";
    assert_eq!(folder.run("render -f in.yaml"), failed(expected));
}

#[test]
fn an_object_without_name() {
    let folder = Folder::empty();
    folder.file("in.yaml", "apiVersion: goharbor.io/v1beta1\nkind: Core\nmetadata: {}\n");
    let expected = "error: in.yaml: Core: metadata.name is missing; give the object a name\n";
    assert_eq!(folder.run("render -f in.yaml"), failed(expected));
}

#[test]
fn a_kind_of_ours_that_is_unknown() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "kind: Core", "kind: Hoarbor");
    let ran = folder.run(RENDER);
    let expected = "error: core.yaml: Hoarbor harbor: this version of the operator does not reconcile Hoarbor objects; \
                    remove it, or give one of these kinds instead: HarborCluster, Harbor, Core";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_version_that_cannot_be_read() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "v1beta1", "v1alpha3");
    let expected = "error: core.yaml: Core harbor: apiVersion goharbor.io/v1alpha3 is not supported; \
                    convert the file with `harbor-operator convert`\n";
    assert_eq!(folder.run(RENDER), failed(expected));

    folder.replace("core.yaml", "v1alpha3", "v1");
    let expected = "error: core.yaml: Core harbor: apiVersion goharbor.io/v1 is not supported; \
                    write it as goharbor.io/v1beta1\n";
    assert_eq!(folder.run(RENDER), failed(expected));
}

#[test]
fn files_without_anything_to_render() {
    let ran = Folder::with_a_core().run("render -f inputs/postgres.json inputs/secrets.yaml");
    let expected = "error: inputs/postgres.json, inputs/secrets.yaml: contains no object that the operator reconciles; \
                    give a file with an object of one of these kinds: HarborCluster, Harbor, Core";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_field_that_is_missing() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "    hosts: [{host: postgres}]", "    hosts: [{}]");
    let expected = "error: core.yaml: Core default/harbor: spec.database.hosts[0].host is missing; \
                    see `kubectl explain core.spec.database.hosts.host`\n";
    assert_eq!(folder.run(RENDER), failed(expected));
}

#[test]
fn an_object_without_spec() {
    let folder = Folder::empty();
    folder.file("core.yaml", "apiVersion: goharbor.io/v1beta1\nkind: Core\nmetadata: {name: harbor}\n");
    let expected =
        "error: core.yaml: Core default/harbor: spec is missing; see `kubectl explain core.spec`\n";
    assert_eq!(folder.run("render -f core.yaml"), failed(expected));
}

#[test]
fn a_value_that_is_not_among_those_to_choose_from() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "spec:\n", "spec:\n  log: {level: loud}\n");
    let expected = "error: core.yaml: Core default/harbor: spec.log.level has a wrong value \
                    (unknown variant `loud`, expected one of `debug`, `info`, `warn`, `error`); \
                    see `kubectl explain core.spec.log.level`\n";
    assert_eq!(folder.run(RENDER), failed(expected));
}

#[test]
fn a_field_of_another_type() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "spec:\n", "spec:\n  replicas: two\n");
    let expected = "error: core.yaml: Core default/harbor: spec.replicas is a string, not an integer; \
                    see `kubectl explain core.spec.replicas`\n";
    assert_eq!(folder.run(RENDER), failed(expected));
}

#[test]
fn a_misspelt_field_is_reported_and_ignored() {
    let folder = Folder::with_a_core();
    folder
        .replace("core.yaml", "spec:\n", "spec:\n  replica: 2\n")
        .replace("core.yaml", "metadata:\n", "metadata:\n  labls: {}\n")
        .replace("core.yaml", "hosts: [{host: postgres}]", "hosts: [{host: postgres, prt: 1}]");
    let expected = "\
warning: core.yaml: Core default/harbor: metadata.labls is not a field of Core and is ignored
warning: core.yaml: Core default/harbor: spec.database.hosts[0].prt is not a field of Core and is ignored
warning: core.yaml: Core default/harbor: spec.replica is not a field of Core and is ignored
";
    let ran = folder.run(RENDER);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), expected));
    assert!(!ran.stdout.is_empty());
}

#[test]
fn a_secret_whose_data_is_not_base64_is_refused_without_being_quoted() {
    let folder = Folder::with_a_core();
    folder.replace("inputs/postgres.json", "c3dvcmRmaXNo", "sword!fish");
    let expected = "error: inputs/postgres.json: Secret default/postgres: data.postgres-password is not base64; \
                    encode the value, or move it to stringData.postgres-password as it is\n";
    assert_eq!(folder.run(RENDER), failed(expected));
}

#[test]
fn an_object_that_is_given_twice_but_differs() {
    let folder = Folder::with_a_core();
    let other = "apiVersion: v1\nkind: Secret\nmetadata: {name: admin}\nstringData: {secret: other}\n";
    folder.file("more.yaml", other);
    let expected = "error: inputs/secrets.yaml (document 1): Secret admin: \
                    differs from the same object given before (more.yaml: Secret admin); give every object once\n";
    assert_eq!(folder.run("render -f core.yaml more.yaml --inputs inputs"), failed(expected));
}
