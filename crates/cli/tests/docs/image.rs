//! The Dockerfile, with the rules of hadolint that matter for it.

use crate::tree::root;
use std::fs;

/// The instructions of a Dockerfile: continued lines are joined, comments are gone.
fn instructions(text: &str) -> Vec<(String, String)> {
    let lines =
        text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n");
    let joined = lines.replace("\\\n", " ");
    let instruction = |line: &str| {
        let (name, rest) = line.trim().split_once(' ')?;
        Some((name.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    joined.lines().filter_map(instruction).collect()
}

/// What is wrong with a Dockerfile, by the number of the rule in hadolint.
fn complaints(text: &str) -> Vec<String> {
    let all = instructions(text);
    let mut wrong = Vec::new();
    let mut complain = |rule: &str, what: &str| wrong.push(format!("{rule}: {what}"));
    for (name, rest) in &all {
        if name.chars().any(char::is_lowercase) {
            complain("DL3xxx", "an instruction is in lower case");
        }
        match name.as_str() {
            "FROM" if rest != "scratch" && !rest.contains("@sha256:") => complain("DL3006", rest),
            "FROM" if rest.contains(":latest") => complain("DL3007", rest),
            "ADD" => complain("DL3020", "ADD; use COPY"),
            "MAINTAINER" => complain("DL4000", "MAINTAINER is deprecated; use a label"),
            "WORKDIR" if !rest.starts_with('/') => complain("DL3000", rest),
            "RUN" if rest.contains("sudo ") => complain("DL3004", rest),
            "RUN" if rest.starts_with("cd ") => complain("DL3003", rest),
            "RUN" if rest.contains("apk add") && !rest.contains("--no-cache") => complain("DL3019", rest),
            "RUN" if rest.contains(" | ") => complain("DL4006", "a pipe without pipefail"),
            "RUN" if rest.contains("curl ") || rest.contains("wget ") => complain("DL4001", rest),
            "CMD" | "ENTRYPOINT" if !rest.starts_with('[') => complain("DL3025", rest),
            _ => {}
        }
    }
    let last =
        |wanted: &str| all.iter().rev().find(|(name, _)| name == wanted).map(|(_, rest)| rest.as_str());
    let user = last("USER").unwrap_or("root");
    if user == "root" || user.starts_with('0') || !user.starts_with(|c: char| c.is_ascii_digit()) {
        complain("DL3002", "the last user must be a number other than 0, which Kubernetes can check");
    }
    wrong
}

#[test]
fn the_image_is_built_by_the_rules() {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    assert_eq!(complaints(&text), Vec::<String>::new());
    let all = instructions(&text);
    let last_stage = all.iter().rposition(|(name, _)| name == "FROM").unwrap();
    assert_eq!(all[last_stage].1, "scratch", "nothing but the binary is in the image");
    let version = format!("VERSION={}", env!("CARGO_PKG_VERSION"));
    assert!(all.contains(&("ARG".into(), version)), "the label has the version of the sources");
}

#[test]
fn a_broken_rule_would_be_found() {
    let text = "FROM alpine:latest\nADD a b\nWORKDIR b\nRUN cd /tmp\nRUN apk add \\\n  make\nCMD run\n";
    let rules: Vec<_> = complaints(text).iter().map(|complaint| complaint[..6].to_owned()).collect();
    assert_eq!(rules, ["DL3006", "DL3020", "DL3000", "DL3003", "DL3019", "DL3025", "DL3002"]);
}
