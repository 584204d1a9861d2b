//! The kubectl lines that the pages show. A shell runs each block, with a script in place of kubectl that has the real one parse
//! the arguments, and with no other program.

use crate::{
    markdown::Block,
    on_a_cluster::{kubectl, program},
    sandbox::sandbox,
    tree::pages,
};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// With `--help`, kubectl parses its arguments, and does nothing. They are recorded, one per line.
const KUBECTL: &str = r#"#!/bin/sh
{ echo kubectl; for word in "$@"; do echo "$word"; done; } >> "$NOTES"
# A plugin.
[ "$1" != krew ] || exit 0
help=--help
for word in "$@"; do
    shift
    [ "$word" != -- ] || { set -- "$@" "$help"; help=; }
    set -- "$@" "$word"
done
"$KUBECTL" "$@" $help > /dev/null 2> error || { echo "kubectl $*"; cat error; } >> complaints
"#;

/// Options that take a value, so that the word after them is not the name of a resource.
const WITH_VALUE: [&str; 10] = [
    "-n",
    "--namespace",
    "-o",
    "--output",
    "-l",
    "--selector",
    "-f",
    "-k",
    "--kubeconfig",
    "--field-selector",
];

/// Verbs whose first argument names resources.
const OF_RESOURCES: [&str; 11] = [
    "get",
    "describe",
    "annotate",
    "label",
    "delete",
    "patch",
    "wait",
    "scale",
    "explain",
    "logs",
    "port-forward",
];

/// Resources of other operators, which their users have.
const ELSEWHERE: [&str; 3] =
    ["clusterharborprojects", "clusterharborprojectmembers", "clusterharborregistries"];

/// What a shell runs of a block: in a session, the lines after a prompt.
fn typed(block: &Block) -> Option<String> {
    match block.language.as_str() {
        "sh" | "bash" => Some(block.text.clone()),
        "console" => {
            Some(block.text.lines().filter_map(|line| line.strip_prefix("$ ")).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// Runs what a reader types, and returns what kubectl complains about, and the arguments that it got.
fn run(text: &str, kubectl: &Path) -> (String, Vec<Vec<String>>) {
    let folder = TempDir::new().unwrap();
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).unwrap();
    program(&programs, "kubectl", KUBECTL);
    program(&programs, "cat", "#!/bin/sh\nwhile IFS= read -r line; do echo \"$line\"; done < \"$1\"\n");
    let notes = folder.path().join("notes");
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(text).current_dir(folder.path()).stdin(Stdio::null());
    shell.stdout(Stdio::null()).stderr(Stdio::null());
    shell.env("PATH", &programs).env("KUBECTL", kubectl).env("NOTES", &notes).env("HOME", folder.path());
    shell.status().unwrap();
    let recorded = fs::read_to_string(notes).unwrap_or_default();
    let mut commands: Vec<Vec<String>> = Vec::new();
    for line in recorded.lines() {
        match commands.last_mut() {
            _ if line == "kubectl" => commands.push(Vec::new()),
            Some(command) => command.push(line.to_owned()),
            None => {}
        }
    }
    (fs::read_to_string(folder.path().join("complaints")).unwrap_or_default(), commands)
}

/// The resources that a command names.
fn resources(command: &[String]) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = command.iter().map(String::as_str).take_while(|word| *word != "--");
    while let Some(word) = rest.next() {
        if WITH_VALUE.contains(&word) {
            rest.next();
        } else if !word.starts_with('-') {
            words.push(word);
        }
    }
    match words.as_slice() {
        // Pods need no kind.
        ["logs" | "port-forward", pod, ..] if !pod.contains('/') => Vec::new(),
        [verb, named, ..] if OF_RESOURCES.contains(verb) => {
            let kinds = named.split_once('/').map_or(*named, |(kind, _)| kind);
            // A field of a kind that is explained, and a group or version.
            kinds.split(',').map(|kind| kind.split_once('.').map_or(kind, |(kind, _)| kind)).collect()
        }
        _ => Vec::new(),
    }
}

/// The names of all resources of the sandbox: plural, short, and of the kind.
fn known(kubectl: &Path) -> BTreeSet<String> {
    let folder = TempDir::new().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let _sandbox = sandbox(&kubeconfig);
    let mut asked = Command::new(kubectl);
    asked.args(["api-resources", "--no-headers"]).env("KUBECONFIG", &kubeconfig).env("HOME", folder.path());
    let printed = String::from_utf8(asked.output().unwrap().stdout).unwrap();
    let words = printed.split_whitespace().flat_map(|words| words.split(','));
    // The category of all kinds of the operator.
    words.map(str::to_lowercase).chain(["goharbor"].into_iter().chain(ELSEWHERE).map(str::to_owned)).collect()
}

#[test]
fn kubectl_understands_every_line_and_every_resource_exists() {
    let Some(kubectl) = kubectl() else {
        println!("skipped: there is no kubectl; hack/kube-assets gets one");
        return;
    };
    let (known, mut wrong, mut commands) = (known(&kubectl), Vec::new(), 0);
    for page in pages() {
        let blocks = page.blocks.iter().filter(|block| block.text.contains("kubectl"));
        for (block, text) in blocks.filter_map(|block| Some((block, typed(block)?))) {
            let place = format!("{}:{}", page.path.display(), block.line);
            let (complaints, typed) = run(&text, &kubectl);
            if !complaints.is_empty() {
                wrong.push(format!("{place}: {complaints}"));
            }
            let named = typed.iter().flat_map(|command| resources(command));
            // Without the commands of other programs, a variable may be empty.
            let unknown = named.filter(|name| !name.is_empty() && !known.contains(&name.to_lowercase()));
            wrong.extend(unknown.map(|name| format!("{place}: there is no resource {name}")));
            commands += typed.len();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands > 100, "only {commands} were found");
}

#[test]
fn a_kubectl_line_that_is_wrong_would_be_found() {
    let Some(kubectl) = kubectl() else {
        println!("skipped: there is no kubectl; hack/kube-assets gets one");
        return;
    };
    let (complaints, typed) =
        run("kubectl get harbors --al | kubectl apply -f -; rm x\nkubectl -n a logs b -- --undo", &kubectl);
    assert!(
        complaints.starts_with("kubectl get harbors --al\n") && complaints.contains("unknown flag: --al"),
        "{complaints}"
    );
    let named: Vec<_> = typed.iter().map(|command| resources(command)).collect();
    assert_eq!(named.len(), 3, "{named:?}");
    let command: Vec<_> = ["-n", "registry", "wait", "harbor/acme"].map(str::to_owned).into();
    assert_eq!(resources(&command), ["harbor"]);
    let command: Vec<_> = ["get", "harbors,cores.goharbor.io", "-o", "yaml"].map(str::to_owned).into();
    assert_eq!(resources(&command), ["harbors", "cores"]);
}
