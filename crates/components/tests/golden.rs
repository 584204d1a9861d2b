//! What each component makes of an object, written down: `tests/golden/<component>/<case>/{in.yaml,inputs/,out.yaml}`.
//!
//! `UPDATE_GOLDEN=1 cargo nextest run -p components` writes `out.yaml` anew; the difference is what to review.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

#[allow(dead_code, reason = "shared with the unit tests")]
mod cases;

use cases::{Case, files, golden_directory};
use components::{Visitor, core::Core};
use plan::{Component, Desired, Policy, Readable, Tie};
use std::{fs, path::Path};

#[test]
fn every_component_is_as_written_down() {
    struct EveryCase(Vec<String>);

    impl Visitor for EveryCase {
        fn visit<C: Component>(&mut self) {
            let cases = files(&golden_directory::<C>());
            self.0
                .extend(cases.iter().filter_map(|case| difference(case, &rendered(&Case::<C>::load(case)))));
        }
    }

    let mut every_case = EveryCase(Vec::new());
    components::for_each(&mut every_case);
    assert!(every_case.0.is_empty(), "run with UPDATE_GOLDEN=1 and review:\n{}", every_case.0.join("\n"));
}

#[test]
fn the_example_of_a_core_renders() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let kinds: Vec<_> = Case::<Core>::read(&examples.join("core.yaml"), &examples.join("inputs"))
        .children()
        .into_iter()
        .map(|child| child["kind"].clone())
        .collect();
    assert_eq!(kinds, ["Service", "ConfigMap", "Secret", "Secret", "Deployment"]);
}

/// Objects in the order they are applied, fields in the order a person reads them, each under how it is brought about.
fn rendered<C: Component>(case: &Case<C>) -> String {
    // Long values stay on one line, where they can be searched for.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 100_000 };
    let plan = case.plan().unwrap();
    let document = |desired: &Desired| {
        let object = desired.object.to_json().unwrap();
        let object = serde_saphyr::to_string_with_options(&Readable(&object), options.clone()).unwrap();
        let kept = if desired.tie == Tie::Kept { "# stays when its owner is deleted\n" } else { "" };
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
        Policy::Await { why } => format!("# not sent, awaited: {why}\n"),
        Policy::Issue(issuance) => format!("# issued and renewed: {issuance:?}\n"),
    }
}

fn difference(case: &Path, rendered: &str) -> Option<String> {
    let golden = case.join("out.yaml");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, rendered).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    if expected == rendered {
        return None;
    }
    let line = expected.lines().zip(rendered.lines()).position(|(expected, actual)| expected != actual);
    let line = line.unwrap_or_else(|| expected.lines().count().min(rendered.lines().count()));
    let shown = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").trim().to_owned();
    Some(format!("{}:{}: {} became {}", golden.display(), line + 1, shown(&expected), shown(rendered)))
}
