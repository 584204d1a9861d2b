//! What a release is made of: its notes, and the manifest of the plugin.

use crate::tree::{files, root};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    process::{Command, Output},
};
use tempfile::TempDir;

fn script(name: &str, arguments: &[&str]) -> Output {
    Command::new(root().join("hack").join(name)).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_notes_of_a_release_are_its_section_of_the_changelog() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let first = changelog.lines().find_map(|line| line.strip_prefix("## ")).unwrap();
    let version = first.split_whitespace().next().unwrap();
    let output = script("release-notes", &[version]);
    assert!(output.status.success());
    let notes = text(&output.stdout);
    assert!(notes.len() > 100 && changelog.contains(notes.trim_end()), "{notes:.200}");
    assert!(!notes.starts_with('\n') && !notes.contains("\n## "));

    let output = script("release-notes", &["v99.0.0"]);
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("CHANGELOG.md has no section \"## 99.0.0\""), "{said}");
}

const PLATFORMS: [&str; 4] = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"];

#[test]
fn the_manifest_for_krew_has_the_checksums_of_the_archives() {
    let folder = TempDir::new().unwrap();
    let archive = |platform: &str| folder.path().join(format!("kubectl-harbor-{platform}.tar.gz"));
    for platform in PLATFORMS {
        fs::write(archive(platform), platform).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let output = script("krew-manifest", &["v1.2.3", path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let manifest: Value = serde_saphyr::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!((&manifest["kind"], &manifest["metadata"]["name"]), (&"Plugin".into(), &"harbor".into()));
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], "v1.2.3");
    assert!(spec["shortDescription"].as_str().unwrap().len() <= 50, "krew's guide asks for few words");
    let platforms = spec["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), PLATFORMS.len());
    for (entry, platform) in platforms.iter().zip(PLATFORMS) {
        let labels = &entry["selector"]["matchLabels"];
        let selected = [&labels["os"], &labels["arch"]].map(|label| label.as_str().unwrap());
        assert_eq!(selected.join("-"), platform);
        let uri = entry["uri"].as_str().unwrap();
        assert!(
            uri.ends_with(&format!("/releases/download/v1.2.3/kubectl-harbor-{platform}.tar.gz")),
            "{uri}"
        );
        let sum = Sha256::digest(platform).iter().fold(String::new(), |sum, byte| format!("{sum}{byte:02x}"));
        assert_eq!(entry["sha256"], sum.as_str());
        // The program is a plugin if its file has this name.
        assert_eq!(entry["bin"], "kubectl-harbor");
    }

    fs::remove_file(archive("linux-arm64")).unwrap();
    for (tag, words) in [("v1.2.3", "linux-arm64.tar.gz does not exist"), ("latest", "is not a version")] {
        let output = script("krew-manifest", &[tag, path]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{said}");
    }
}

#[test]
fn what_a_platform_team_looks_for_is_there() {
    for file in ["SECURITY.md", "CODE_OF_CONDUCT.md", "GOVERNANCE.md", "MAINTAINERS.md", "LICENSE"] {
        assert!(root().join(file).is_file(), "{file}");
    }
    assert!(root().join(".github/pull_request_template.md").is_file());
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for linked in ["SECURITY.md", "GOVERNANCE.md", "docs/support.md", "docs/api-stability.md", "docs/faq.md"]
    {
        assert!(readme.contains(&format!("({linked})")), "README.md does not link to {linked}");
    }
    let scripts = files(&root().join("hack"), "");
    for script in scripts {
        let status = Command::new("bash").arg("-n").arg(&script).status().unwrap();
        assert!(status.success(), "{}", script.display());
    }
}
