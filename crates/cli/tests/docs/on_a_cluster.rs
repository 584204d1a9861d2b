//! The README's way to a cluster: every command is typed, on the sandbox, with scripts in place of docker and kind that
//! record their arguments.

use crate::{
    sandbox::sandbox,
    tree::{pages, root},
};
use envtest::Assets;
use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Answers as a docker would whose daemon runs.
const DOCKER: &str = r#"#!/bin/sh
echo "docker $*" >> "$NOTES"
[ "$1" != save ] || : > "$3"
"#;

const KIND: &str = r#"#!/bin/sh
echo "kind $*" >> "$NOTES"
"#;

/// kubectl, except that the sandbox counts as a cluster of kind, and that a forwarded port is only recorded.
const KUBECTL: &str = r#"#!/bin/sh
case "$*" in
"config current-context") echo kind-kind ;;
*port-forward*) echo "kubectl $*" >> "$NOTES" ;;
*) exec "$KUBECTL" "$@" ;;
esac
"#;

fn program(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The kubectl of the assets, or the one that is installed.
fn kubectl() -> Option<PathBuf> {
    let asked = Command::new("sh").args(["-c", "command -v kubectl"]).output().unwrap();
    let installed = String::from_utf8(asked.stdout).unwrap();
    let installed = Some(installed.trim()).filter(|path| !path.is_empty()).map(PathBuf::from);
    Assets::find().ok().map(|assets| assets.kubectl()).filter(|kubectl| kubectl.exists()).or(installed)
}

/// The commands of the README's section, as they are typed.
fn commands() -> Vec<String> {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let line = |heading: &str| text.lines().position(|line| line == heading).unwrap();
    let section = line("## On a cluster")..line("### What a status says");
    let pages = pages();
    let readme = pages.iter().find(|page| page.path == Path::new("README.md")).unwrap();
    let blocks = readme.blocks.iter().filter(|block| block.language == "sh" && section.contains(&block.line));
    let lines = blocks.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_readme_leads_to_a_harbor_on_kind_and_to_an_image_in_it() {
    let Some(kubectl) = kubectl() else {
        println!("skipped: there is no kubectl; hack/kube-assets gets one");
        return;
    };
    let folder = TempDir::new().unwrap();
    for (name, script) in [("docker", DOCKER), ("kind", KIND), ("kubectl", KUBECTL)] {
        program(folder.path(), name, script);
    }
    let (kubeconfig, notes) = (folder.path().join("kubeconfig"), folder.path().join("notes"));
    let _sandbox = sandbox(&kubeconfig);
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:#?}");
    for command in commands {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&command).current_dir(root()).env("KUBECONFIG", &kubeconfig).env("NOTES", &notes);
        shell.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
        let output = shell.env("KUBECTL", &kubectl).env("HOME", folder.path()).output().unwrap();
        let said = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
        assert!(output.status.success(), "$ {command}\n{said}");
    }

    let notes = fs::read_to_string(notes).unwrap();
    let image = format!("docker.io/goharbor/harbor-operator:{}", env!("CARGO_PKG_VERSION"));
    let built = notes.lines().find(|line| line.starts_with("docker build")).unwrap();
    assert!(built.contains(&format!("--tag {image} ")), "{built}");
    assert!(notes.contains(&format!("/image.tar {image}\nkind load image-archive ")), "{notes}");
    let trial = fs::read_to_string(root().join("examples/trial.yaml")).unwrap();
    let address = "localhost:8080";
    assert!(trial.contains(&format!("externalURL: http://{address}\n")));
    for expected in ["kubectl -n registry port-forward service/acme 8080:80", "docker login localhost:8080 "]
    {
        assert!(notes.contains(expected), "{notes}");
    }
    let pushed = notes.lines().find(|line| line.starts_with("docker push ")).unwrap();
    assert!(pushed.starts_with(&format!("docker push {address}/library/")), "{pushed}");
}

/// What `hack/load-image` says, with these programs installed besides those of every system.
fn complaint(programs: &[(&str, &str)], arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    for tool in ["bash", "env", "dirname", "sed", "git", "cat", "mktemp", "rm"] {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        if !found.is_empty() {
            symlink(found.trim(), folder.path().join(tool)).unwrap();
        }
    }
    for (name, script) in programs {
        program(folder.path(), name, script);
    }
    let mut script = Command::new(root().join("hack/load-image"));
    script.args(arguments).env("PATH", folder.path()).env("NOTES", folder.path().join("notes"));
    let output = script.output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Programs that are installed, arguments, and a part of what is said.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

#[test]
fn what_is_missing_to_load_the_image_is_named() {
    let failing = "#!/bin/sh\nexit 1\n";
    let elsewhere = "#!/bin/sh\necho production\n";
    let cases: [Case<'_>; 9] = [
        (&[], &["kind"], "kind is not installed; see https://kind.sigs.k8s.io"),
        (&[], &["k3d"], "k3d is not installed"),
        (&[("kind", KIND)], &["kind"], "docker is not installed"),
        (&[("kind", KIND), ("docker", failing)], &["kind"], "docker does not answer; start it"),
        (&[], &[], "kubectl is not installed"),
        (&[("kubectl", failing)], &[], "kubectl has no current context"),
        (&[("kubectl", elsewhere)], &[], "the context production is not of kind, k3d or minikube"),
        (&[], &["podman"], "podman is none of kind, k3d and minikube"),
        (&[], &["--fast"], "--fast is not an option"),
    ];
    for (programs, arguments, words) in cases {
        let said = complaint(programs, arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
