//! The scripts in `hack/`. `hack/test` runs as on a machine that has only Rust, with a script in place of cargo that records
//! its arguments.

use crate::tree::root;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};
use tempfile::TempDir;

/// Has no nextest until it is asked to install one.
const CARGO: &str = r#"#!/bin/sh
echo "cargo $*" >> "$NOTES"
[ "$1" = install ] || exit 101
while [ "$1" != --root ]; do shift; done
mkdir -p "$2/bin"
printf '#!/bin/sh\necho "cargo-nextest $*" >> "$NOTES"\n' > "$2/bin/cargo-nextest"
chmod +x "$2/bin/cargo-nextest"
"#;

/// The arguments of cargo in `hack/test --fast`.
fn asked(folder: &Path) -> Vec<String> {
    let notes = folder.join("notes");
    let status = Command::new(root().join("hack/test"))
        .arg("--fast")
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("XDG_CACHE_HOME", folder)
        .env("NOTES", &notes)
        .status()
        .unwrap();
    assert!(status.success());
    let lines = fs::read_to_string(&notes).unwrap().lines().map(str::to_owned).collect();
    fs::remove_file(notes).unwrap();
    lines
}

#[test]
fn without_nextest_it_is_installed_once_and_runs_the_tests_that_were_selected() {
    let folder = TempDir::new().unwrap();
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, CARGO).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();

    let first = asked(folder.path());
    let [version, install, run] = first.as_slice() else { panic!("{first:#?}") };
    assert_eq!(version, "cargo nextest --version");
    let cache = folder.path().join("harbor-operator");
    let begin = format!("cargo install --quiet --locked --root {}/cargo-nextest-", cache.display());
    assert!(install.starts_with(&begin) && install.contains(" cargo-nextest --version "), "{install}");
    assert!(
        run.starts_with("cargo-nextest nextest run --workspace --locked --no-fail-fast --test-threads ")
            && run.contains(" -E not ("),
        "{run}"
    );

    assert_eq!(asked(folder.path()), [version.clone(), run.clone()], "it is installed");
}

#[test]
fn generated_files_are_fresh() {
    let output = Command::new(root().join("hack/generate"))
        .arg("--check")
        .env("OPERATOR", env!("CARGO_BIN_EXE_harbor-operator"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
