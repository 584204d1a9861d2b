//! Objects that the pages show.

use crate::{
    markdown::Page,
    tree::{pages, root},
};
use std::{fs, process::Command};

/// Secrets that objects of the pages refer to, and that the pages have their readers make.
const INPUTS: &str = "crates/cli/tests/docs/inputs";

const OURS: &str = "apiVersion: goharbor.io/";

/// What `render` says to the objects of a page: they are given to it together, as a reader would apply them.
fn complaint(page: &Page) -> Option<String> {
    let blocks = page.blocks.iter().filter(|block| block.language == "yaml");
    let whole: Vec<_> =
        blocks.filter(|block| block.text.contains("apiVersion:")).map(|b| b.text.as_str()).collect();
    if !whole.iter().any(|text| text.contains(OURS)) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.yaml");
    fs::write(&file, whole.join("---\n")).unwrap();
    let mut render = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    render.args(["render", "--recursive", "-f"]).arg(&file).arg("--inputs").arg(root().join(INPUTS));
    let output = render.output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_object_that_is_shown_can_be_rendered() {
    let pages = pages();
    let wrong = pages.iter().filter_map(|page| Some((page.path.display().to_string(), complaint(page)?)));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_object_that_is_wrong_would_be_found() {
    let text =
        "```yaml\napiVersion: goharbor.io/v1beta1\nkind: Harbor\nmetadata:\n  name: x\nspec: {}\n```\n";
    assert!(complaint(&Page::new("page.md".into(), text)).is_some());
}
