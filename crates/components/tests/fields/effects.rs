//! Every field does something: with another value other objects are rendered, or the value is refused. Fields of which
//! that is not true are listed, and so are those of which every value is refused: a value that these tests made up may
//! just be a bad one.
//!
//! What Harbor and HarborCluster render are objects of ours. Those count without the fields that are listed for their own
//! kind, so a setting that is handed on and ignored further down is found, too.

use crate::{
    bases::{Base, Kind, Trial},
    listed::{REFUSED, Row, WHEN, WITHOUT_EFFECT, without_listed},
    rendering::Rendered,
    schema::Field,
};
use plan::ObjectKey;
use std::collections::BTreeMap;

/// The effect of a field.
enum Effect {
    /// Two values that are accepted lead to different objects.
    Rendered,
    /// No value is accepted but the one that was there.
    Refused(String),
    /// All values that are accepted lead to the same objects.
    Nothing,
}

macro_rules! every_field_does_something {
    ($($test:ident: $kind:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check($kind);
            }
        )*
    };
}

every_field_does_something! {
    every_field_of_a_chart_museum_does_something: "ChartMuseum",
    every_field_of_a_core_does_something: "Core",
    every_field_of_a_harbor_cluster_does_something: "HarborCluster",
    every_field_of_a_harbor_does_something: "Harbor",
    every_field_of_a_job_service_does_something: "JobService",
    every_field_of_a_notary_server_does_something: "NotaryServer",
    every_field_of_a_notary_signer_does_something: "NotarySigner",
    every_field_of_a_portal_does_something: "Portal",
    every_field_of_a_registry_controller_does_something: "RegistryController",
    every_field_of_a_registry_does_something: "Registry",
    every_field_of_a_trivy_does_something: "Trivy",
    every_field_of_an_exporter_does_something: "Exporter",
}

fn check(kind: &str) {
    let kind = Kind::of(kind);
    for base in &kind.bases {
        assert!(base.render(&base.owner).is_ok(), "{} {} is refused", kind.name, base.name);
    }
    let tried: Vec<Field> = kind.fields().into_iter().filter(worth_trying).collect();
    let mut problems: Vec<String> = tried.iter().filter_map(|field| problem(&kind, field)).collect();
    let rows = WITHOUT_EFFECT.iter().chain(REFUSED).chain(WHEN).filter(|row| row.is_about(&kind.name));
    problems.extend(
        rows.flat_map(|row| row.unknown(&tried)).map(|path| format!("{path}: is listed, and no field")),
    );
    assert!(problems.is_empty(), "{}:\n{}", kind.name, problems.join("\n"));
}

/// Whether a field has no fields of its own, which are tried instead, and more than one value to choose from.
fn worth_trying(field: &Field) -> bool {
    !field.inner && field.schema["enum"].as_array().is_none_or(|values| values.len() > 1)
}

fn problem(kind: &Kind, field: &Field) -> Option<String> {
    let listed = |rows: &'static [Row]| rows.iter().find(|row| row.lists(&kind.name, field));
    let problem = match (effect(kind, field), listed(WITHOUT_EFFECT), listed(REFUSED)) {
        (Effect::Nothing, None, None) if listed(WHEN).is_some() => return None,
        (Effect::Rendered, None, None) | (Effect::Refused(_), None, Some(_)) => return None,
        (Effect::Nothing, Some(_), None) if field.says_so => return None,
        (Effect::Nothing, Some(_), None) => "has no effect, and its description does not say so".to_owned(),
        (Effect::Nothing, None, _) => {
            "has no effect; honour it, refuse it, or list it with a reason".to_owned()
        }
        (Effect::Refused(why), _, None) => {
            format!("no value is accepted; give a better one, or list it: {why}")
        }
        (_, Some(row), _) => format!("is listed as having no effect ({}), but has one", row.reason),
        (_, None, Some(row)) => format!("is listed as being refused ({}), but is not", row.reason),
    };
    Some(format!("{}: {problem}", field.path))
}

/// What a field does in the first base in which it does something.
fn effect(kind: &Kind, field: &Field) -> Effect {
    let mut all = Effect::Nothing;
    for base in &kind.bases {
        match (effect_in(kind, base, field), &all) {
            (Effect::Rendered, _) => return Effect::Rendered,
            (refused @ Effect::Refused(_), Effect::Nothing) => all = refused,
            _ => {}
        }
    }
    all
}

fn effect_in(kind: &Kind, base: &Base, field: &Field) -> Effect {
    let Trial { before, with, .. } = kind.trial(base, field);
    let render = |owner| base.render(owner).map(what_matters);
    let mut accepted = Vec::from_iter(render(&before));
    let (mut refusal, mut others) = (None, 0);
    for owner in with.iter().filter(|owner| **owner != before) {
        match render(owner) {
            Ok(rendered) if accepted.iter().any(|other| *other != rendered) => return Effect::Rendered,
            Ok(rendered) => {
                others += 1;
                accepted.push(rendered);
            }
            Err(why) => refusal = refusal.or(Some(why)),
        }
    }
    match refusal {
        // A field with one value only, without which nothing is accepted.
        None if with.len() == 1 && accepted.len() == 1 && others == 1 => Effect::Rendered,
        Some(why) if others == 0 => Effect::Refused(why),
        _ => Effect::Nothing,
    }
}

fn what_matters(rendered: BTreeMap<ObjectKey, Rendered>) -> BTreeMap<ObjectKey, Rendered> {
    let of_ours = |(key, rendered): (ObjectKey, Rendered)| {
        let object =
            if key.group == "goharbor.io" { without_listed(rendered.object) } else { rendered.object };
        (key, Rendered { object, ..rendered })
    };
    rendered.into_iter().map(of_ours).collect()
}
