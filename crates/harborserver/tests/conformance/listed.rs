//! Which steps are not played, where answers may differ, and why.

use crate::{compare::Difference, recording::folder};
use harborserver::Version;
use serde::{Deserialize, de::DeserializeOwned};
use std::{fmt::Write as _, fs};

/// Steps that are not played.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    pub reason: String,
    /// Names of steps; one that ends with `*` stands for all that begin so.
    steps: Vec<String>,
}

impl Skipped {
    pub fn covers(&self, step: &str) -> bool {
        self.steps.iter().any(|named| match named.strip_suffix('*') {
            Some(start) => step.starts_with(start),
            None => named == step,
        })
    }
}

/// A reason why the server in memory answers differently, and all the places where it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub reason: String,
    /// The recordings in which it does; all of them unless told.
    #[serde(default)]
    versions: Vec<String>,
    /// Step, and a path in its answer; what is below it may differ as well.
    #[serde(rename = "where")]
    pub places: Vec<(String, String)>,
}

impl Listed {
    pub fn applies(&self, version: Version) -> bool {
        self.versions.is_empty() || self.versions.contains(&version.to_string())
    }
}

pub fn skipped() -> Vec<Skipped> {
    read("skipped.yaml")
}

pub fn differences() -> Vec<Listed> {
    read("differences.yaml")
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_saphyr::from_str(&fs::read_to_string(folder().join("conformance").join(name)).unwrap()).unwrap()
}

/// Differences that are not listed, and listed ones that do not occur.
pub fn complaints(version: Version, found: &[Difference], listed: &[Listed]) -> String {
    let mut complaints = String::new();
    let places = || {
        let applying = listed.iter().filter(|listed| listed.applies(version));
        applying.flat_map(|listed| listed.places.iter().map(move |place| (listed, place)))
    };
    let covers = |place: &(String, String), difference: &Difference| {
        let below = difference.path.strip_prefix(place.1.as_str());
        place.0 == difference.step
            && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    for difference in found {
        if !places().any(|(_, place)| covers(place, difference)) {
            writeln!(complaints, "{difference}").unwrap();
        }
    }
    for (listed, place) in places() {
        if !found.iter().any(|difference| covers(place, difference)) {
            writeln!(complaints, "- {place:?} is listed, but does not differ: {}", listed.reason).unwrap();
        }
    }
    complaints
}
