//! The children of each component, as golden files:
//! `tests/golden/<component>/<case>/{in.yaml,inputs/,out.yaml}`.
//!
//! The case `versions` of each component is what every Harbor understands that has it: `out.yaml` is for the oldest, and
//! `upgrades.diff` says what each later minor release changes, or why it is refused.
//!
//! `UPDATE_GOLDEN=1 cargo nextest run -p components` rewrites both; the difference is what to review.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

#[allow(dead_code, reason = "shared with the unit tests")]
mod cases;
#[path = "cases/changes.rs"]
mod changes;

use api::names::VERSION_ANNOTATION;
use cases::{AnyCase, Case};
use changes::changes;
use components::core::Core;
use plan::{DeletionBehavior, Desired, Placement, Plan, Policy, Readable};
use std::{fmt::Write, fs, path::Path};

#[test]
fn every_component_is_as_written_down() {
    let mut differences = Vec::new();
    for component in components::with_optional() {
        for (directory, case) in AnyCase::all(&component) {
            differences.extend(difference(&directory.join("out.yaml"), &rendered(&case.plan().unwrap())));
        }
    }
    assert_none(&differences);
}

#[test]
fn what_changes_with_every_minor_release_is_as_written_down() {
    let mut differences = Vec::new();
    // What describes objects inside a Harbor has the version of that Harbor.
    for component in components::all()
        .into_iter()
        .filter(|it| it.placement() == Placement::Namespaced && !it.children.live_outside())
    {
        let cases = AnyCase::all(&component);
        let (directory, case) = cases.iter().find(|(directory, _)| directory.ends_with("versions")).unwrap();
        differences.extend(difference(&directory.join("upgrades.diff"), &upgrades(case)));
    }
    assert_none(&differences);
}

#[test]
fn the_example_of_a_core_renders() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let kinds: Vec<_> = Case::<Core>::read(&examples.join("core.yaml"), &examples.join("inputs"))
        .children()
        .into_iter()
        .map(|child| child["kind"].clone())
        .collect();
    assert_eq!(kinds, ["Service", "ConfigMap", "Secret", "Deployment", "Secret"]);
}

/// What each minor release but the first changes, and which ones refuse the object.
fn upgrades(case: &AnyCase) -> String {
    // The version itself is everywhere; what still has another than it should stands out.
    let outcome = |minor: u32| {
        let version = format!("2.{minor}.0");
        let plan = at(case.clone(), &version).plan();
        let encoded = cases::base64(version.as_bytes());
        let encoded = encoded.as_str().unwrap();
        plan.map(|plan| rendered(&plan).replace(&version, "<version>").replace(encoded, "<version>"))
            .map_err(|error| error.to_string())
    };
    let mut text = String::new();
    for minor in 6..=15 {
        let changes = match (outcome(minor - 1), outcome(minor)) {
            (Ok(before), Ok(after)) => changes(&before, &after),
            (Err(_), Ok(after)) => changes("", &after),
            (_, Err(refused)) => format!("refused: {refused}\n"),
        };
        let changes = if changes.is_empty() { "nothing but the version\n" } else { &changes };
        write!(text, "2.{minor}\n{changes}\n").unwrap();
    }
    text
}

/// The case as it would be with another version of Harbor.
fn at(mut case: AnyCase, version: &str) -> AnyCase {
    for input in &mut case.inputs {
        if let Some(annotation) = input["metadata"]["annotations"].get_mut(VERSION_ANNOTATION) {
            *annotation = version.into();
        }
    }
    if case.owner.pointer("/spec/version").is_some() {
        return case.set("/spec/version", version.into());
    }
    let annotation = VERSION_ANNOTATION.replace('/', "~1");
    case.set(&format!("/metadata/annotations/{annotation}"), version.into())
}

/// Objects in the order they are applied, fields in the order a person reads them, each with how the operator
/// ensures it.
fn rendered(plan: &Plan) -> String {
    // Long values stay on one line, where they can be searched for.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 100_000 };
    let document = |desired: &Desired| {
        let object = desired.object.to_json().unwrap();
        let object = serde_saphyr::to_string_with_options(&Readable(&object), options.clone()).unwrap();
        let kept = if desired.deletion == DeletionBehavior::Kept {
            "# stays when its owner is deleted\n"
        } else {
            ""
        };
        format!("{}{kept}{object}", policy(&desired.policy))
    };
    plan.graph.iter().map(|(_, desired, _)| document(desired)).collect::<Vec<_>>().join("---\n")
}

fn policy(policy: &Policy) -> String {
    match policy {
        Policy::Apply => String::new(),
        Policy::CreateOnce { generate } if generate.is_empty() => "# created once\n".to_owned(),
        Policy::CreateOnce { generate } => {
            let values = generate.iter().map(|(key, recipe)| format!("#   {key}: {recipe:?}\n"));
            format!("# created once, with values made up then:\n{}", values.collect::<String>())
        }
        Policy::Await { why, .. } => format!("# not sent, awaited: {why}\n"),
        Policy::Issue(issuance) => format!("# issued and renewed: {issuance:?}\n"),
        Policy::External(external) => format!("# lives in {}\n", external.system),
        Policy::Amend { amendment, .. } => format!("# gets {} in {}\n", amendment.item, amendment.list),
    }
}

fn difference(golden: &Path, rendered: &str) -> Option<String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(golden, rendered).unwrap();
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    if expected == rendered {
        return None;
    }
    let line = expected.lines().zip(rendered.lines()).position(|(expected, actual)| expected != actual);
    let line = line.unwrap_or_else(|| expected.lines().count().min(rendered.lines().count()));
    let shown = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").trim().to_owned();
    Some(format!("{}:{}: {} became {}", golden.display(), line + 1, shown(&expected), shown(rendered)))
}

fn assert_none(differences: &[String]) {
    assert!(differences.is_empty(), "run with UPDATE_GOLDEN=1 and review:\n{}", differences.join("\n"));
}
