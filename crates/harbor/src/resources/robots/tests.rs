use super::{Duration, NewRobot, Owner, Permission, PermissionSet, Robot, RobotLevel, robot_name};
use crate::{ProjectId, Version, version::permissions::Verdict};
use serde_json::json;

fn wanted() -> NewRobot {
    NewRobot {
        name: "sys".into(),
        description: String::new(),
        level: RobotLevel::System,
        duration: Duration::Days(30),
        disable: false,
        permissions: vec![
            Permission::system([("project", "create"), ("project", "list")]),
            Permission::project("*", [("repository", "pull"), ("project", "read")]),
        ],
    }
}

fn shown() -> Robot {
    let shown = json!({
        "creation_time": "2026-11-16T06:49:32.570Z", "creator_ref": 1, "creator_type": "local",
        "disable": false, "duration": 30, "editable": true, "expires_at": 1_797_403_772, "id": 3,
        "level": "system", "name": "robot$sys",
        "permissions": [
            {"kind": "project", "namespace": "*", "access": [
                {"action": "read", "resource": "project", "effect": "allow"},
                {"action": "pull", "resource": "repository"}]},
            {"kind": "system", "namespace": "/", "access": [
                {"action": "list", "resource": "project"}, {"action": "create", "resource": "project"}]},
        ],
    });
    serde_json::from_value(shown).unwrap()
}

#[test]
fn the_order_of_permissions_is_no_difference() {
    assert_eq!(shown().changes(&wanted()), None);
}

#[test]
fn an_update_repeats_name_and_level_as_harbor_shows_them() {
    let update = shown().changes(&NewRobot { duration: Duration::Never, ..wanted() }).unwrap();
    let sent = serde_json::to_value(update).unwrap();
    let expected = json!({
        "name": "robot$sys", "level": "system", "description": "", "duration": -1, "disable": false,
        "permissions": serde_json::to_value(wanted().permissions).unwrap(),
    });
    assert_eq!(sent, expected);
}

#[test]
fn a_robot_is_disabled_and_enabled_by_an_update() {
    let disabled = Robot { disable: true, ..shown() };
    assert_eq!(disabled.changes(&wanted()).map(|update| update.disable), Some(false));
    let wanted = NewRobot { disable: true, ..wanted() };
    assert_eq!(shown().changes(&wanted).map(|update| update.disable), Some(true));
    assert_eq!(serde_json::to_value(wanted).unwrap().get("disable"), None);
}

#[test]
fn a_robot_is_searched_by_the_name_in_the_database() {
    let owner = Owner::Project { id: ProjectId(2), name: "alpha" };
    let filter = owner.filter().exact("name", owner.stored_name("ci"));
    assert_eq!(filter.value().as_deref(), Some("Level=project,ProjectID=2,name=alpha%2Bci"));
}

#[test]
fn prefix_and_project_are_stripped_from_a_name() {
    assert_eq!(robot_name("robot$sys", "robot$", None), Some("sys"));
    assert_eq!(robot_name("bot-alpha+ci", "bot-", Some("alpha")), Some("ci"));
    assert_eq!(robot_name("robot$alpha+ci", "bot-", Some("alpha")), None);
    assert_eq!(robot_name("robot$beta+ci", "robot$", Some("alpha")), None);
}

#[test]
fn each_grant_is_checked_against_the_version() {
    let permissions =
        [Permission::system([("user", "update")]), Permission::project("a", [("user", "update")])];
    let verdicts: Vec<_> =
        PermissionSet::new(&permissions).0.iter().map(|grant| grant.check(Version::new(2, 11, 0))).collect();
    assert_eq!(verdicts, [Verdict::Since(Version::new(2, 12, 0)), Verdict::Never]);
}
