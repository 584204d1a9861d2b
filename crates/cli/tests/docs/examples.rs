//! The files in `examples/`: each can be rendered, says what a reader must replace, and has claims that pods can mount.

use crate::tree::{files, root};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What a reader must replace, by a part of it: hosts that do not exist, and values that are made up.
const MADE_UP: [&str; 4] = ["example.com", "example-", ".databases.svc", "sixteen-letters"];

/// The comment that marks it.
const MARK: &str = "# replace";

fn examples() -> Vec<PathBuf> {
    files(&root().join("examples"), ".yaml")
}

/// The lines with made-up values that neither have the mark, nor are in a block whose first line has it.
fn unmarked(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut unmarked = Vec::new();
    // The indentation of a marked line whose value is a block of lines.
    let mut marked_block: Option<usize> = None;
    for line in text.lines() {
        if marked_block.is_some_and(|outer| !line.trim().is_empty() && indent(line) <= outer) {
            marked_block = None;
        }
        if marked_block.is_some() || line.trim_start().starts_with('#') {
            continue;
        }
        let marked = line.ends_with(MARK);
        if marked && line.contains("| #") {
            marked_block = Some(indent(line));
        }
        if !marked && MADE_UP.iter().any(|part| line.contains(part)) {
            unmarked.push(line);
        }
    }
    unmarked
}

#[test]
fn every_host_and_password_that_does_not_exist_is_marked() {
    let mut wrong = Vec::new();
    for file in examples() {
        let text = fs::read_to_string(&file).unwrap();
        wrong.extend(unmarked(&text).into_iter().map(|line| format!("{}: {line}", file.display())));
        let says_so =
            text.lines().any(|line| line.starts_with('#') && line.to_lowercase().contains("replace"));
        if text.contains(MARK) && !says_so {
            wrong.push(format!("{}: does not say what `{MARK}` means", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_value_that_is_not_marked_would_be_found() {
    let text = "# harbor.example.com\na: b.example.com # replace\nc: | # replace\n  d.example.com\n\n  e.example.com\n\
                f: g.example.com\nh: example-only\n";
    assert_eq!(unmarked(text), ["f: g.example.com", "h: example-only"]);
}

/// The rendered objects of an example, with those beside it that it refers to.
fn rendered(example: &Path) -> Result<Vec<Value>, String> {
    let mut render = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    render.args(["render", "--recursive", "--output", "json", "-f"]).arg(example);
    let examples = root().join("examples");
    match example.file_name().unwrap().to_str().unwrap() {
        "core.yaml" => _ = render.arg("--inputs").arg(examples.join("inputs")),
        "harbor.yaml" | "harbor-full.yaml" => _ = render.arg(examples.join("harbor-inputs.yaml")),
        _ => {}
    }
    let output = render.output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    Ok(list["items"]
        .as_array()
        .unwrap_or_else(|| panic!("{}: no list: {text:.200}", example.display()))
        .clone())
}

/// The kinds of `goharbor.io` in an example.
fn has_our_kinds(text: &str) -> bool {
    text.contains("apiVersion: goharbor.io/")
}

#[test]
fn every_example_can_be_rendered() {
    let mut wrong = Vec::new();
    for example in examples() {
        if has_our_kinds(&fs::read_to_string(&example).unwrap())
            && let Err(error) = rendered(&example)
        {
            wrong.push(format!("{}: {error}", example.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Claims that one node can mount at a time, by name.
fn single_node_claims(text: &str) -> BTreeSet<String> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    let claims = documents.iter().filter(|object| object["kind"] == "PersistentVolumeClaim");
    let single = claims.filter(|claim| claim["spec"]["accessModes"] == json!(["ReadWriteOnce"]));
    single.map(|claim| claim["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pods_with_a_claim_for_one_node_are_replaced_one_after_the_other() {
    let mut mounted = 0;
    for example in examples() {
        let text = fs::read_to_string(&example).unwrap();
        let claims = single_node_claims(&text);
        if claims.is_empty() || !has_our_kinds(&text) {
            continue;
        }
        for object in rendered(&example).unwrap() {
            let volumes = object.pointer("/spec/template/spec/volumes").and_then(Value::as_array);
            let mut names = volumes.into_iter().flatten().filter_map(|volume| {
                volume.pointer("/persistentVolumeClaim/claimName").and_then(Value::as_str)
            });
            if object["kind"] == "Deployment" && names.any(|name| claims.contains(name)) {
                mounted += 1;
                let place = format!("{} {}", example.display(), object["metadata"]["name"]);
                assert_eq!(object["spec"]["strategy"]["type"], "Recreate", "{place}");
                assert!(object["spec"]["replicas"].as_u64().unwrap_or(1) <= 1, "{place}");
            }
        }
    }
    assert!(mounted >= 3, "only {mounted} Deployments mount such a claim");
}

#[test]
fn every_situation_has_an_example_and_a_page() {
    let pages = files(&root().join("docs/how-to"), ".md");
    let named = |file: &PathBuf| file.file_stem().unwrap().to_str().unwrap().to_owned();
    let written: BTreeSet<_> = pages.iter().map(named).collect();
    let shown: BTreeSet<_> = files(&root().join("examples/how-to"), ".yaml").iter().map(named).collect();
    assert!(shown.len() >= 9 && shown.is_subset(&written), "{shown:?} {written:?}");
    let overview = fs::read_to_string(root().join("examples/README.md")).unwrap();
    for example in examples() {
        let path = example.strip_prefix(root().join("examples")).unwrap().display().to_string();
        let is_input = path.starts_with("inputs/") || path == "namespace.yaml";
        assert!(
            is_input || overview.contains(&format!("({path})")),
            "examples/README.md does not list {path}"
        );
    }
}
