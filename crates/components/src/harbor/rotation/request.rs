//! What users ask for with the annotation `goharbor.io/rotate`.

use super::rotated::Rotated;
use api::names::ROTATE_ANNOTATION;
use plan::PlanError;
use std::collections::BTreeMap;

/// Stands for all credentials, but not for certificates.
const ALL: &str = "all";
/// The longest word behind a name.
const LONGEST: usize = 64;

/// The word that a user has written behind the name of each credential; empty if there is none.
#[derive(Debug, Default)]
pub(super) struct Requests(BTreeMap<Rotated, String>);

impl Requests {
    /// Parses the annotation. Refuses names that no credential has.
    pub fn parse(text: Option<&str>) -> Result<Self, PlanError> {
        let mut named = BTreeMap::new();
        let mut every = None;
        let items = text.into_iter().flat_map(|text| text.split(','));
        for item in items.map(str::trim).filter(|item| !item.is_empty()) {
            let (name, word) = item.split_once('@').unwrap_or((item, ""));
            if word.len() > LONGEST || !word.chars().all(|it| it.is_ascii_graphic()) {
                let problem =
                    format!("the word behind {name:?} is too long, or has other than plain characters");
                return Err(invalid(
                    problem,
                    "use a word of at most 64 letters, digits and signs, such as a date",
                ));
            }
            let earlier = match Rotated::ALL.into_iter().find(|it| it.name() == name) {
                Some(rotated) => named.insert(rotated, word.to_owned()),
                None if name == ALL => every.replace(word.to_owned()),
                None => return Err(unknown(name)),
            };
            if earlier.is_some() {
                return Err(invalid(format!("names {name} twice"), "keep one of them"));
            }
        }
        let every = |rotated| every.clone().filter(|_| Rotated::CREDENTIALS.contains(&rotated));
        let of = |rotated| named.remove(&rotated).or_else(|| every(rotated)).map(|word| (rotated, word));
        Ok(Self(Rotated::ALL.into_iter().filter_map(of).collect()))
    }

    /// The word for a credential, if its rotation is asked for.
    pub fn of(&self, rotated: Rotated) -> Option<&String> {
        self.0.get(&rotated)
    }
}

fn unknown(name: &str) -> PlanError {
    let names: Vec<_> = Rotated::ALL.into_iter().map(Rotated::name).chain([ALL]).collect();
    invalid(
        format!("{name:?} is not a credential that the operator can rotate"),
        format!("name some of {}, separated by commas", names.join(", ")),
    )
}

fn invalid(problem: impl Into<String>, remedy: impl Into<String>) -> PlanError {
    PlanError::invalid(format_args!("metadata.annotations[{ROTATE_ANNOTATION}]"), problem, remedy)
}
