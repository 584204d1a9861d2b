use crate::run::{Folder, Ran, failed};

fn misused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    ran.stderr.lines().next().unwrap_or_default()
}

#[test]
fn help_says_what_is_real_and_gives_examples() {
    let ran = Folder::empty().run("sandbox --help");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with("Try the operator without a cluster\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no container ever"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Examples:\n"), "{}", ran.stdout);
}

#[test]
fn waiting_for_nothing_is_misuse() {
    let ran = Folder::empty().run("sandbox --wait");
    assert_eq!(misused(&ran), "error: the following required arguments were not provided:");
    assert!(ran.stderr.contains("--apply <FILE>..."), "{}", ran.stderr);
}

#[test]
fn a_duration_without_unit_is_refused_with_an_example() {
    let ran = Folder::empty().run("sandbox --timeout 90");
    let expected = "error: invalid value '90' for '--timeout <DURATION>': \
                    \"90\" is not a duration; write numbers with units, such as \"90s\" or \"1h30m\"";
    assert_eq!(misused(&ran), expected);
}

#[test]
fn every_mistake_in_files_is_told_before_anything_is_started() {
    let folder = Folder::empty();
    folder.file("nameless.yaml", "apiVersion: v1\nkind: ConfigMap\n---\nkind: Secret\n");
    folder.file("other/read.me", "");
    let ran = folder.run("sandbox --apply missing.yaml nameless.yaml other --wait");
    let expected = "\
error: missing.yaml: does not exist; check the path
error: nameless.yaml (document 1): ConfigMap: metadata.name is missing; give the object a name
error: nameless.yaml (document 2): is not a Kubernetes object: apiVersion or kind is missing; add both
error: other: holds no manifests; give a directory with .yaml, .yml or .json files, or the files themselves
";
    assert_eq!(ran, failed(expected));
}
