//! The README's way to a cluster: every command is typed, on the sandbox, with scripts in place of docker, helm and the tools of
//! clusters that record their arguments.

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

const RECORDED: &str = r#"#!/bin/sh
echo "${0##*/} $*" >> "$NOTES"
"#;

/// Installs the manifests: `tests/deploy/chart.rs` shows that the chart makes the same objects.
const HELM: &str = r#"#!/bin/sh
echo "helm $*" >> "$NOTES"
exec "$KUBECTL" apply -f deploy/
"#;

/// kubectl, except that the sandbox counts as a cluster of a tool, and that a forwarded port is only recorded.
const KUBECTL: &str = r#"#!/bin/sh
case "$*" in
"config current-context") echo "$CONTEXT" ;;
*port-forward*) echo "kubectl $*" >> "$NOTES" ;;
*) exec "$KUBECTL" "$@" ;;
esac
"#;

/// Writes a script that is found as a program.
pub fn program(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The kubectl of the assets, or the one that is installed.
pub fn kubectl() -> Option<PathBuf> {
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

/// The command of a line, or the one that the line offers instead (`# or: …`) for one of these programs.
fn chosen(line: &str, programs: &[&str]) -> String {
    let (command, comment) = line.split_once('#').unwrap_or((line, ""));
    let mut others = comment.split(';').filter_map(|text| text.trim().strip_prefix("or: "));
    let other = others.find(|other| programs.iter().any(|program| other.starts_with(&format!("{program} "))));
    other.unwrap_or(command).trim().to_owned()
}

/// A tool that makes a cluster.
struct Tool {
    name: &'static str,
    /// The context of its default cluster.
    context: &'static str,
    /// How it makes that.
    create: &'static str,
    /// How it loads an image from an archive, before and after the path.
    load: [&'static str; 2],
}

#[test]
fn the_readme_leads_to_a_harbor_on_kind_and_to_an_image_in_it() {
    let load = ["load image-archive", "--name kind"];
    follow(&Tool { name: "kind", context: "kind-kind", create: "create cluster", load }, &[]);
}

#[test]
fn the_readme_leads_to_a_harbor_on_k3d_also_with_helm() {
    let load = ["image import", "--cluster k3s-default"];
    let k3d = Tool { name: "k3d", context: "k3d-k3s-default", create: "cluster create", load };
    let Some(notes) = follow(&k3d, &[("helm", HELM)]) else { return };
    let installed = notes.lines().find(|line| line.starts_with("helm ")).expect(&notes);
    let namespace = fs::read_to_string(root().join("deploy/namespace.yaml")).unwrap();
    let namespace = namespace.lines().find_map(|line| line.trim().strip_prefix("name: ")).unwrap();
    assert_eq!(
        installed,
        format!(
            "helm install harbor-operator deploy/chart/harbor-operator -n {namespace} --create-namespace"
        )
    );
}

#[test]
fn the_readme_leads_to_a_harbor_on_minikube() {
    let load = ["image load", "--profile minikube"];
    follow(&Tool { name: "minikube", context: "minikube", create: "start", load }, &[]);
}

/// Types the commands of the README with this tool, and with these other programs where a line offers them. Returns what the
/// programs recorded, unless there is no kubectl.
fn follow(tool: &Tool, others: &[(&str, &str)]) -> Option<String> {
    let Some(kubectl) = kubectl() else {
        println!("skipped: there is no kubectl; hack/kube-assets gets one");
        return None;
    };
    let folder = TempDir::new().unwrap();
    let programs = [("docker", DOCKER), ("kubectl", KUBECTL), (tool.name, RECORDED)];
    for (name, script) in programs.iter().chain(others) {
        program(folder.path(), name, script);
    }
    let choice: Vec<_> = [tool.name].into_iter().chain(others.iter().map(|(name, _)| *name)).collect();
    let (kubeconfig, notes) = (folder.path().join("kubeconfig"), folder.path().join("notes"));
    let _sandbox = sandbox(&kubeconfig);
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:#?}");
    for command in commands.iter().map(|line| chosen(line, &choice)) {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&command).current_dir(root()).env("KUBECONFIG", &kubeconfig).env("NOTES", &notes);
        shell.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
        let output = shell
            .env("KUBECTL", &kubectl)
            .env("CONTEXT", tool.context)
            .env("HOME", folder.path())
            .output()
            .unwrap();
        let said = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
        assert!(output.status.success(), "$ {command}\n{said}");
    }

    let notes = fs::read_to_string(notes).unwrap();
    let image = format!("docker.io/goharbor/harbor-operator:{}", env!("CARGO_PKG_VERSION"));
    let built = notes.lines().find(|line| line.starts_with("docker build")).unwrap();
    assert!(built.contains(&format!("--tag {image} ")), "{built}");
    let Tool { name, create, load: [load, cluster], .. } = tool;
    assert!(notes.starts_with(&format!("{name} {create}\n")), "{notes}");
    assert!(notes.contains(&format!("/image.tar {image}\n{name} {load} ")), "{notes}");
    assert!(notes.contains(&format!("/image.tar {cluster}\n")), "{notes}");
    let trial = fs::read_to_string(root().join("examples/trial.yaml")).unwrap();
    let address = "localhost:8080";
    assert!(trial.contains(&format!("externalURL: http://{address}\n")));
    for expected in ["kubectl -n registry port-forward service/acme 8080:80", "docker login localhost:8080 "]
    {
        assert!(notes.contains(expected), "{notes}");
    }
    let pushed = notes.lines().find(|line| line.starts_with("docker push ")).unwrap();
    assert!(pushed.starts_with(&format!("docker push {address}/library/")), "{pushed}");
    Some(notes)
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
        (&[("kind", RECORDED)], &["kind"], "docker is not installed"),
        (&[("kind", RECORDED), ("docker", failing)], &["kind"], "docker does not answer; start it"),
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
