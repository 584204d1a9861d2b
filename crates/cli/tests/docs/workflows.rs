//! The workflows in `.github/`: GitHub is not at hand, so their rules are checked here.

use crate::tree::{files, root};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// The workflows, by name, as text and as YAML.
fn workflows() -> Vec<(String, String, Value)> {
    let files = files(&root().join(".github/workflows"), ".yaml");
    let read = |file: &std::path::PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let parsed =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        (file.file_name().unwrap().to_str().unwrap().to_owned(), text, parsed)
    };
    files.iter().map(read).collect()
}

fn jobs(workflow: &Value) -> Vec<(&String, &Value)> {
    workflow["jobs"].as_object().unwrap().iter().collect()
}

fn steps(workflow: &Value) -> Vec<&Value> {
    jobs(workflow).into_iter().flat_map(|(_, job)| job["steps"].as_array().unwrap()).collect()
}

/// Why a line with `uses:` is not pinned.
fn unpinned(line: &str) -> Option<&'static str> {
    let (_, action) = line.split_once("uses: ")?;
    let Some((_, reference)) = action.split_once('@') else { return Some("has no reference") };
    let (commit, version) = reference.split_once(" # ").unwrap_or((reference, ""));
    let is_commit = commit.len() == 40 && commit.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    match (is_commit, version.starts_with('v')) {
        (false, _) => Some("is not pinned by a commit of 40 digits"),
        (true, false) => Some("has no comment with its version"),
        (true, true) => None,
    }
}

#[test]
fn every_action_is_pinned_by_its_commit_and_names_its_version() {
    let mut count = 0;
    for (name, text, _) in workflows() {
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            count += 1;
            assert_eq!(unpinned(line), None, "{name}: {line}");
        }
    }
    assert!(count > 20, "only {count}");
    assert!(unpinned("- uses: actions/checkout@v7").is_some());
    assert!(unpinned("- uses: a/b@3d3c42e5aac5ba805825da76410c181273ba90b1").is_some());
}

#[test]
fn a_job_has_no_more_permissions_than_it_names_and_ends() {
    for (name, _, workflow) in workflows() {
        assert_eq!(workflow["permissions"], serde_json::json!({"contents": "read"}), "{name}");
        let known: BTreeSet<_> = jobs(&workflow).into_iter().map(|(job, _)| job.clone()).collect();
        for (job, body) in jobs(&workflow) {
            assert!(body["timeout-minutes"].as_u64().is_some_and(|minutes| minutes <= 120), "{name}: {job}");
            assert!(body["runs-on"].is_string(), "{name}: {job}");
            let needs = body["needs"].as_array().cloned().unwrap_or_else(|| vec![body["needs"].clone()]);
            for needed in needs.iter().filter_map(Value::as_str) {
                assert!(known.contains(needed), "{name}: {job} needs {needed}");
            }
        }
        for step in steps(&workflow) {
            if step["uses"].as_str().is_some_and(|action| action.starts_with("actions/checkout@")) {
                assert_eq!(step["with"]["persist-credentials"], false, "{name}");
            }
        }
    }
}

/// Whether bash can parse a script.
fn is_bash(script: &str) -> bool {
    let mut bash =
        Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    bash.wait().unwrap().success()
}

#[test]
fn scripts_of_steps_are_bash_without_expressions_and_name_scripts_that_exist() {
    for (name, _, workflow) in workflows() {
        for script in steps(&workflow).into_iter().filter_map(|step| step["run"].as_str()) {
            assert!(is_bash(script), "{name}: {script}");
            // A branch or a title could have code in it; variables are safe.
            assert!(!script.contains("${{"), "{name}: pass expressions by env: {script}");
            for word in script.split(|c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')')) {
                if word.starts_with("hack/") || word.starts_with(".ci/") {
                    assert!(root().join(word).is_file(), "{name}: {word}");
                }
            }
        }
    }
    assert!(!is_bash("if true; then"));
}

#[test]
fn a_release_is_tested_built_for_both_architectures_scanned_signed_and_has_an_sbom() {
    let (_, text, release) = workflows().into_iter().find(|(name, ..)| name == "release.yaml").unwrap();
    assert_eq!(release["on"]["push"]["tags"], serde_json::json!(["v*"]));
    assert!(steps(&release).iter().any(|step| step["run"] == ".ci/run"));
    let architectures: BTreeSet<_> = release["jobs"]["image"]["strategy"]["matrix"]["include"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["arch"].as_str().unwrap())
        .collect();
    assert_eq!(architectures, BTreeSet::from(["amd64", "arm64"]));
    for part in [
        "sbom: true",
        "provenance: mode=max",
        "aquasecurity/trivy-action@",
        "cosign sign --yes --recursive",
        "cosign attest --yes --type spdxjson",
        "cosign sign-blob",
        "hack/release-notes",
        "hack/olm-bundle",
        "hack/krew-manifest",
        "helm push",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let signers = jobs(&release).into_iter().filter(|(_, job)| job["permissions"]["id-token"] == "write");
    assert_eq!(signers.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["publish"]);
}

#[test]
fn an_image_gets_its_tag_after_both_architectures_were_scanned() {
    let (_, _, release) = workflows().into_iter().find(|(name, ..)| name == "release.yaml").unwrap();
    let image = release["jobs"]["image"]["steps"].as_array().unwrap();
    let uses = |action: &str| {
        let is_used = |step: &Value| step["uses"].as_str().is_some_and(|uses| uses.starts_with(action));
        image.iter().position(is_used).unwrap()
    };
    let (built, scanned) = (uses("docker/build-push-action@"), uses("aquasecurity/trivy-action@"));
    assert!(built < scanned);
    let outputs = image[built]["with"]["outputs"].as_str().unwrap();
    assert!(outputs.contains("push-by-digest=true") && image[built]["with"]["tags"].is_null(), "{outputs}");
    let scan = &image[scanned];
    assert_eq!(scan["with"]["image-ref"], "${{ env.IMAGE }}@${{ steps.build.outputs.digest }}");
    assert_eq!(scan["env"]["TRIVY_PLATFORM"], "linux/${{ matrix.arch }}");
    assert_eq!(scan["with"]["exit-code"], "1");
    assert!(scan["continue-on-error"].is_null() && scan["if"].is_null(), "a failed scan ends the release");

    let tags = |job: &Value| {
        let mut scripts = job["steps"].as_array().unwrap().iter().filter_map(|step| step["run"].as_str());
        scripts.any(|script| script.contains("$IMAGE:"))
    };
    let tagging: Vec<_> = jobs(&release).into_iter().filter(|(_, job)| tags(job)).collect();
    assert_eq!(tagging.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["publish"]);
    assert!(tagging[0].1["needs"].as_array().unwrap().contains(&Value::from("image")));
}

#[test]
fn issues_ask_for_what_is_needed_to_help() {
    let folder = root().join(".github/ISSUE_TEMPLATE");
    let parse = |file: &Path| serde_saphyr::from_str::<Value>(&fs::read_to_string(file).unwrap()).unwrap();
    for form in files(&folder, ".yaml") {
        let form = parse(&form);
        assert!(form["name"].is_string() && form["description"].is_string());
        let body = form["body"].as_array().unwrap();
        let questions = body.iter().filter(|part| part["type"] != "markdown");
        let ids: Vec<_> = questions.map(|part| part["id"].as_str().unwrap()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    }
    assert_eq!(parse(&folder.join("config.yml"))["blank_issues_enabled"], false);
}
