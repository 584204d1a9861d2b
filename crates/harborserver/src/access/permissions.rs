//! The permissions that robots can have.

use crate::{
    call::Call,
    failure::Failure,
    members,
    rest::{Reply, Route},
    version::{Change, Version},
};
use serde_json::{Value, json};

/// The endpoint that lists them.
pub(crate) const ROUTES: &[Route] = &[Route::get("/permissions", list).since(10)];

/// Where a permission holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    System,
    Project,
}

/// Resource, actions, and the change that brought them; in the order in which Harbor lists them.
type Line = (&'static str, &'static [&'static str], Change);

const FIRST: Change = Change::ChecksPermissions;
const SBOM: Change = Change::Sbom;
const ROBOTS: Change = Change::RobotsCreateRobots;

const CRUD: &[&str] = &["read", "create", "delete", "list", "update"];
const ROBOT: &[&str] = &["create", "read", "list", "delete"];
const EVERY: &[&str] = &["create", "read", "update", "list", "delete"];
const JOB: &[&str] = &["read", "create", "list", "update", "stop"];

const PROJECT: &[Line] = &[
    ("log", &["list"], FIRST),
    ("project", &["read", "delete", "update"], FIRST),
    ("metadata", CRUD, FIRST),
    ("repository", &["read", "update", "delete", "list", "pull", "push"], FIRST),
    ("artifact", &["read", "create", "list", "delete"], FIRST),
    ("scan", &["create", "read", "stop"], FIRST),
    ("sbom", &["create", "stop", "read"], SBOM),
    ("tag", &["create", "list", "delete"], FIRST),
    ("accessory", &["list"], FIRST),
    ("artifact-addition", &["read"], FIRST),
    ("artifact-label", &["create", "delete"], FIRST),
    ("scanner", &["create", "read"], FIRST),
    ("preheat-policy", CRUD, FIRST),
    ("immutable-tag", &["create", "delete", "list", "update"], FIRST),
    ("notification-policy", CRUD, FIRST),
    ("tag-retention", CRUD, FIRST),
    ("label", CRUD, FIRST),
    ("quota", &["read"], SBOM),
    ("robot", ROBOT, ROBOTS),
    ("export-cve", &["create", "read"], ROBOTS),
    ("member", &["create", "read", "update", "list", "delete"], ROBOTS),
];

const SYSTEM: &[Line] = &[
    ("audit-log", &["list"], FIRST),
    ("preheat-instance", CRUD, FIRST),
    ("project", &["list", "create"], FIRST),
    ("replication-policy", CRUD, FIRST),
    ("replication", &["read", "create", "list"], FIRST),
    ("replication-adapter", &["list"], FIRST),
    ("registry", CRUD, FIRST),
    ("scan-all", &["read", "update", "stop", "create"], FIRST),
    ("system-volumes", &["read"], FIRST),
    ("garbage-collection", JOB, FIRST),
    ("purge-audit", JOB, FIRST),
    ("jobservice-monitor", &["list", "stop"], FIRST),
    ("scanner", CRUD, FIRST),
    ("label", &["read", "create", "delete", "update"], FIRST),
    ("security-hub", &["read", "list"], FIRST),
    ("catalog", &["read"], FIRST),
    ("quota", &["read", "list"], SBOM),
    ("robot", ROBOT, ROBOTS),
    ("user", EVERY, ROBOTS),
    ("ldap-user", &["create", "list"], ROBOTS),
    ("quota", &["update"], ROBOTS),
    ("user-group", EVERY, ROBOTS),
];

/// All resources and actions of a scope, in the order in which Harbor lists them.
fn table(scope: Scope, version: Version) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = match scope {
        Scope::System => SYSTEM,
        Scope::Project => PROJECT,
    };
    lines
        .iter()
        .filter(move |(_, _, since)| version.has(*since))
        .flat_map(|(resource, actions, _)| actions.iter().map(|action| (*resource, *action)))
}

/// Whether a robot can have a permission. Before 2.10, it can have any.
pub(crate) fn is_known(scope: Scope, version: Version, resource: &str, action: &str) -> bool {
    !version.has(Change::ChecksPermissions) || table(scope, version).any(|known| known == (resource, action))
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    if call.identity.is_anonymous() {
        return Err(Failure::unauthorized());
    }
    if !call.identity.is_administrator() && !members::administers_any(call) {
        return Err(Failure::forbidden("forbidden: only admins(system and project) can access permissions"));
    }
    let shown = |scope: Scope| -> Vec<Value> {
        let pair = |(resource, action)| json!({ "resource": resource, "action": action });
        table(scope, call.version()).map(pair).collect()
    };
    Ok(Reply::json(json!({ "project": shown(Scope::Project), "system": shown(Scope::System) })))
}
