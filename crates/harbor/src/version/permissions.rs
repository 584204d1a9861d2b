//! Which permissions a robot may have, by version.

use super::{Feature, Span, Version, span};

/// Where a permission applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// In all of Harbor.
    System,
    /// In one project, or in each.
    Project,
}

/// What a version of Harbor does with a permission of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It grants what it says.
    Granted,
    /// The version stores any text. This one is in the table of a later version, and works.
    Unchecked,
    /// The version stores any text. This one is in no table, so it grants nothing or more than later versions allow.
    Meaningless,
    /// The version refuses it; a later version grants it.
    Since(Version),
    /// No version grants it to a robot.
    Never,
}

/// What a version does with a permission of a robot.
pub fn check(version: Version, level: Level, resource: &str, action: &str) -> Verdict {
    let rows = TABLE.iter().filter(|row| row.level == level && row.resource == resource);
    let rows = rows.filter(|row| row.actions.split(',').any(|granted| granted == action));
    let first = rows.map(|row| row.since).min_by_key(|since| since.since);
    match (first, version.has(Feature::CheckedRobotPermissions)) {
        (Some(_), false) => Verdict::Unchecked,
        (None, false) => Verdict::Meaningless,
        (Some(since), true) if since.contains(version) => Verdict::Granted,
        (Some(since), true) => Verdict::Since(since.since),
        (None, true) => Verdict::Never,
    }
}

/// The permissions that a version grants, as pairs of resource and action. Empty if the version does not check them.
pub fn granted(version: Version, level: Level) -> impl Iterator<Item = (&'static str, &'static str)> {
    let checked = version.has(Feature::CheckedRobotPermissions);
    let rows = TABLE.iter().filter(move |row| checked && row.level == level);
    rows.filter(move |row| span::any_contains(&[row.since], version))
        .flat_map(|row| row.actions.split(',').map(|action| (row.resource, action)))
}

struct Row {
    level: Level,
    resource: &'static str,
    actions: &'static str,
    since: Span,
}

const fn system(resource: &'static str, actions: &'static str, since: Span) -> Row {
    Row { level: Level::System, resource, actions, since }
}

const fn project(resource: &'static str, actions: &'static str, since: Span) -> Row {
    Row { level: Level::Project, resource, actions, since }
}

const ALL: &str = "create,read,update,delete,list";
const NOT_UPDATE: &str = "create,read,delete,list";
const JOB: &str = "create,read,update,list,stop";
const FIRST: Span = Span::since(10, 0);
const QUOTAS: Span = Span::since(10, 1);
const SBOM: Span = Span::since(11, 0);
const ROBOTS: Span = Span::since(12, 0);

const TABLE: &[Row] = &[
    system("audit-log", "list", FIRST),
    system("preheat-instance", ALL, FIRST),
    system("project", "create,list", FIRST),
    system("replication-policy", ALL, FIRST),
    system("replication", "create,read,list", FIRST),
    system("replication-adapter", "list", FIRST),
    system("registry", ALL, FIRST),
    system("scan-all", "create,read,update,stop", FIRST),
    system("system-volumes", "read", FIRST),
    system("garbage-collection", JOB, FIRST),
    system("purge-audit", JOB, FIRST),
    system("jobservice-monitor", "list,stop", FIRST),
    system("scanner", ALL, FIRST),
    system("label", "create,read,update,delete", FIRST),
    system("security-hub", "read,list", FIRST),
    system("catalog", "read", FIRST),
    system("quota", "read,list", QUOTAS),
    system("quota", "update", ROBOTS),
    system("robot", NOT_UPDATE, ROBOTS),
    system("user", ALL, ROBOTS),
    system("ldap-user", "create,list", ROBOTS),
    system("user-group", ALL, ROBOTS),
    project("log", "list", FIRST),
    project("project", "read,update,delete", FIRST),
    project("metadata", ALL, FIRST),
    project("repository", "read,update,delete,list,pull,push", FIRST),
    project("artifact", NOT_UPDATE, FIRST),
    project("scan", "create,read,stop", FIRST),
    project("tag", "create,list,delete", FIRST),
    project("accessory", "list", FIRST),
    project("artifact-addition", "read", FIRST),
    project("artifact-label", "create,delete", FIRST),
    project("scanner", "create,read", FIRST),
    project("preheat-policy", ALL, FIRST),
    project("immutable-tag", "create,update,delete,list", FIRST),
    project("notification-policy", ALL, FIRST),
    project("tag-retention", ALL, FIRST),
    project("label", ALL, FIRST),
    project("quota", "read", QUOTAS),
    project("sbom", "create,read,stop", SBOM),
    project("robot", NOT_UPDATE, ROBOTS),
    project("export-cve", "create,read", ROBOTS),
    project("member", ALL, ROBOTS),
];

#[cfg(test)]
mod tests {
    use super::{Level, Verdict, check, granted};
    use crate::version::Version;

    #[test]
    fn a_version_that_checks_nothing_says_so() {
        let old = Version::new(2, 9, 5);
        assert_eq!(check(old, Level::System, "user", "update"), Verdict::Unchecked);
        assert_eq!(check(old, Level::System, "usr", "update"), Verdict::Meaningless);
        assert_eq!(granted(old, Level::System).count(), 0);
    }

    #[test]
    fn a_refused_permission_tells_the_version_that_has_it() {
        let check = |minor, patch, resource, action| {
            check(Version::new(2, minor, patch), Level::System, resource, action)
        };
        assert_eq!(check(10, 0, "quota", "read"), Verdict::Since(Version::new(2, 10, 1)));
        assert_eq!(check(11, 0, "quota", "read"), Verdict::Granted);
        assert_eq!(check(11, 0, "quota", "update"), Verdict::Since(Version::new(2, 12, 0)));
        assert_eq!(check(15, 2, "quota", "update"), Verdict::Granted);
    }

    #[test]
    fn no_robot_may_change_a_robot_or_the_configuration() {
        let newest = Version::new(2, 15, 2);
        for level in [Level::System, Level::Project] {
            assert_eq!(check(newest, level, "robot", "update"), Verdict::Never);
            assert_eq!(check(newest, level, "configuration", "read"), Verdict::Never);
        }
    }

    #[test]
    fn a_permission_of_a_project_is_not_one_of_the_system() {
        let newest = Version::new(2, 15, 2);
        assert_eq!(check(newest, Level::Project, "repository", "push"), Verdict::Granted);
        assert_eq!(check(newest, Level::System, "repository", "push"), Verdict::Never);
    }
}
