//! The Harbor in memory does not lie: it answers the recorded scripts as real Harbors did.
//!
//! `recordings/VERSION.jsonl` is what a real Harbor of that version answered to a script of more than 700 requests.
//! `skipped.yaml` lists the steps that are not played, `differences.yaml` where the server in memory answers otherwise,
//! and both say why. A listed difference that does not occur is a failure, too. With `CONFORMANCE_OUT`, all differences
//! of a version are written to a file of that folder.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod compare;
mod credentials;
mod listed;
mod normal;
mod play;
mod recording;

use compare::differences;
use harborserver::Version;
use listed::{Listed, complaints};
use play::Stage;
use recording::{Exchange, recording};
use std::{collections::BTreeSet, env, fs, path::Path};

#[tokio::test(start_paused = true)]
async fn version_2_5_6_is_answered_as_recorded() {
    answers_as_recorded(Version::new(5, 6)).await;
}

#[tokio::test(start_paused = true)]
async fn version_2_9_5_is_answered_as_recorded() {
    answers_as_recorded(Version::new(9, 5)).await;
}

#[tokio::test(start_paused = true)]
async fn version_2_15_2_is_answered_as_recorded() {
    answers_as_recorded(Version::new(15, 2)).await;
}

async fn answers_as_recorded(version: Version) {
    let recording = recording(version);
    let skipped = listed::skipped();
    let mut stage = Stage::new(version);
    let (mut found, mut compared, mut left_out) = (Vec::new(), 0_usize, BTreeSet::new());
    for line in &recording {
        if let Some(skipped) = skipped.iter().find(|skipped| skipped.covers(&line.step)) {
            left_out.insert(skipped.reason.clone());
            stage.stand_in(line);
            continue;
        }
        let Some(Exchange { request, response }) = &line.exchange else {
            panic!("{}: neither played nor listed as skipped", line.name());
        };
        let answer = stage.play(line, request, response).await;
        compared += 1;
        found.extend(differences(&line.name(), response, &answer));
    }
    if let Ok(folder) = env::var("CONFORMANCE_OUT") {
        let all: Vec<String> = found.iter().map(ToString::to_string).collect();
        fs::write(Path::new(&folder).join(format!("{version}.txt")), all.join("\n")).unwrap();
    }
    let listed: Vec<Listed> = listed::differences();
    let accepted = listed.iter().filter(|listed| listed.applies(version)).count();
    println!(
        "{version}: {compared} of {} requests compared, {} differences accepted for {accepted} reasons, \
         {} reasons to skip a step",
        recording.len(),
        found.len(),
        left_out.len(),
    );
    let complaints = complaints(version, &found, &listed);
    assert!(complaints.is_empty(), "{version} is answered otherwise:\n{complaints}");
}

#[test]
fn every_skipped_step_and_every_difference_names_recorded_steps() {
    let versions = [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)];
    let lines: Vec<_> = versions.into_iter().flat_map(recording).collect();
    let steps: BTreeSet<&str> = lines.iter().map(|line| line.step.as_str()).collect();
    let names: BTreeSet<String> = lines.iter().map(recording::Line::name).collect();
    for skipped in listed::skipped() {
        assert!(steps.iter().any(|step| skipped.covers(step)), "skipped.yaml: {}", skipped.reason);
    }
    for listed in listed::differences() {
        for (step, _) in &listed.places {
            assert!(names.contains(step), "differences.yaml: {step}");
        }
    }
}
