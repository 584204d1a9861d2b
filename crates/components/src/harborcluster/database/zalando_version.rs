//! The version of PostgreSQL that Zalando's operator runs.

use super::zalando::FIELD;
use api::{
    thirdparty::zalando::{Postgresql, PostgresqlSpec},
    v1beta1::harborcluster::database::ZalandoPostgreSqlSpec,
};
use plan::{PlanError, World};
use std::collections::BTreeSet;

/// The default version of a new cluster. Of the maintained versions of PostgreSQL, most releases of Zalando's
/// operator accept this one: 1.9 of January 2023 to 2.0. Harbor supports it from 2.5 on, and ships it from 2.11
/// on.
const VERSION: u32 = 15;

/// The oldest version: that of the oldest supported Harbor, and the minimum of Harbor since 2.9.
const OLDEST_VERSION: u32 = 12;

/// The version of PostgreSQL. That of existing data stays: only Zalando's operator can upgrade it.
pub(super) fn version(
    spec: &ZalandoPostgreSqlSpec,
    existing: Option<&PostgresqlSpec>,
    world: &World<'_>,
) -> Result<String, PlanError> {
    let requested = spec.version.as_deref().filter(|version| !version.is_empty());
    let present = existing.map(|existing| existing.postgresql.version.as_str());
    match (requested, present.filter(|version| !version.is_empty())) {
        (None, Some(present)) => Ok(present.to_owned()),
        (Some(requested), Some(present)) if requested == present => Ok(present.to_owned()),
        (Some(requested), Some(present)) => Err(PlanError::invalid(
            format_args!("{FIELD}.version"),
            format!(
                "is {requested}, but the database has version {present}, and this operator does not upgrade it"
            ),
            "remove it; to upgrade, change spec.postgresql.version of the postgresql resource",
        )),
        (requested, None) => {
            new_version(requested, world.allowed::<Postgresql>("spec.postgresql.version")?.as_deref())
        }
    }
}

/// The version of a new cluster, which both Harbor and the installed operator of Zalando support.
fn new_version(requested: Option<&str>, known: Option<&[String]>) -> Result<String, PlanError> {
    let invalid = |problem: String, remedy: String| {
        Err(PlanError::invalid(format_args!("{FIELD}.version"), problem, remedy))
    };
    let listed = || known.unwrap_or_default().join(", ");
    let numbers = known.into_iter().flatten().filter_map(|version| version.parse::<u32>().ok());
    let fit: BTreeSet<u32> = numbers.filter(|version| *version >= OLDEST_VERSION).collect();
    let best = match known {
        None => Some(VERSION),
        Some(_) => fit.range(VERSION..).next().or(fit.last()).copied(),
    };
    let Some(best) = best else {
        let problem = format!(
            "Harbor needs PostgreSQL {OLDEST_VERSION} or later, and the operator of Zalando that is installed knows {}",
            listed()
        );
        return invalid(problem, "install a newer one".to_owned());
    };
    let Some(requested) = requested else { return Ok(best.to_string()) };
    match requested.parse::<u32>() {
        Ok(version @ OLDEST_VERSION..) if known.is_none() || fit.contains(&version) => {
            Ok(requested.to_owned())
        }
        Ok(OLDEST_VERSION..) => invalid(
            format!("is {requested}, and the operator of Zalando that is installed knows {}", listed()),
            format!("set it to {best}, or install another operator"),
        ),
        Ok(_) => {
            invalid(format!("Harbor needs PostgreSQL {OLDEST_VERSION} or later"), format!("set it to {best}"))
        }
        Err(_) => invalid(
            format!("{requested:?} is not a major version of PostgreSQL"),
            format!("write it as one number, such as {best}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(requested: Option<&str>, known: &[&str]) -> String {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        new_version(requested, Some(&known)).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_new_cluster_gets_what_harbor_runs_on_and_the_installed_operator_knows() {
        assert_eq!(new_version(None, None).unwrap(), "15", "what it supports is unknown");
        assert_eq!(chosen(None, &["14", "15", "16", "17", "18"]), "15");
        assert_eq!(chosen(None, &["9.6", "10", "11", "12", "13", "14"]), "14", "an older operator");
        assert_eq!(chosen(None, &["17", "18", "19"]), "17", "one of tomorrow");
        assert_eq!(chosen(Some("18"), &["14", "18"]), "18");
        assert_eq!(
            chosen(None, &["9.6", "10", "11"]),
            "spec.database.spec.zlandoPostgreSql.version: Harbor needs PostgreSQL 12 or later, and the operator of \
             Zalando that is installed knows 9.6, 10, 11; install a newer one",
        );
        assert_eq!(
            chosen(Some("13"), &["14", "15"]),
            "spec.database.spec.zlandoPostgreSql.version: is 13, and the operator of Zalando that is installed \
             knows 14, 15; set it to 15, or install another operator",
        );
    }
}
