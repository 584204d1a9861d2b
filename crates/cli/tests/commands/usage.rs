use crate::run::{Folder, Ran, failed};

#[test]
fn the_version_is_that_of_the_build() {
    let ran = Folder::empty().run("--version");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with(concat!("harbor-operator ", env!("CARGO_PKG_VERSION"))), "{}", ran.stdout);
}

#[test]
fn a_command_without_its_file_is_misuse() {
    let expected = "\
error: the following required arguments were not provided:
  --file <FILE>...

Usage: harbor-operator render --file <FILE>...

For more information, try '--help'.
";
    let misused = Ran { code: Some(2), stdout: String::new(), stderr: expected.into() };
    assert_eq!(Folder::empty().run("render"), misused);
}

#[test]
fn help_warns_that_secrets_are_printed_and_gives_examples() {
    let ran = Folder::empty().run("render --help");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("Secrets are printed as they are"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Examples:\n"), "{}", ran.stdout);
}

#[test]
fn only_kinds_that_are_optional_can_be_done_without() {
    for command in ["render", "graph"] {
        let expected = "\
error: invalid value 'apps' for '--without <GROUP>'
  [possible values: acid.zalan.do, cert-manager.io, databases.spotahome.com, gateway.networking.k8s.io, minio.min.io, \
         monitoring.coreos.com, postgresql.cnpg.io, redis.redis.opstreelabs.in]

For more information, try '--help'.
";
        let misused = Ran { code: Some(2), stdout: String::new(), stderr: expected.into() };
        assert_eq!(Folder::empty().run(&format!("{command} -f core.yaml --without apps")), misused);
    }
}

#[test]
fn an_invalid_namespace_is_refused_with_its_flag() {
    for (arguments, flag) in [
        ("run --namespace Registry", "--namespace <NAME>"),
        ("run --lease-namespace Registry", "--lease-namespace <NAME>"),
        ("plan -f core.yaml --namespace Registry", "--namespace <NAME>"),
        ("status --namespace Registry", "--namespace <NAME>"),
    ] {
        let expected = format!(
            "\
error: invalid value 'Registry' for '{flag}': use at most 63 lower-case letters, digits and dashes, with no dash at \
             either end

For more information, try '--help'.
"
        );
        let misused = Ran { code: Some(2), stdout: String::new(), stderr: expected };
        assert_eq!(Folder::with_a_core().run(arguments), misused);
    }
}

#[test]
fn a_class_that_no_object_can_have_is_refused_with_its_flag() {
    for arguments in ["run", "plan -f core.yaml"] {
        let output =
            Folder::with_a_core().command(arguments).env("HARBOR_OPERATOR_CLASS", "blue\n").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("for '--class <NAME>': leave out spaces at either end"), "{stderr}");
    }
}

#[test]
fn an_empty_plan_is_an_error_and_not_the_same_as_no_change() {
    let ran = Folder::empty().run_with_input("plan -f -", "---\n");
    assert_eq!(ran, failed("error: standard input: contains no object; give a file with an object\n"));
}
