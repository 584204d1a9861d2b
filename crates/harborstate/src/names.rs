//! The names of objects that belong to a project.

use crate::{
    execution::Execution, immutable_rules::ImmutableRules, label::Label, member::Membership,
    members::Members, numbered_robot::NumberedRobot, preheat_policy::PreheatPolicy,
    project_scanner::ProjectScanner, retention::Retention, robot::Robot, state::State as _,
    verification::Verification, webhook::Webhook,
};

/// The name of an object that belongs to a project.
pub fn in_project(project: &str, name: &str) -> String {
    format!("{project}/{name}")
}

/// The project and the name that [`in_project`] put together. The name of a project contains no slash.
pub fn split(name: &str) -> Option<(&str, &str)> {
    name.split_once('/')
}

/// The part of a collection that contains the object of this name, mostly a project; `None` if the object belongs to
/// no project, or the collection is listed as a whole.
pub fn part<'a>(collection: &str, name: &'a str) -> Option<&'a str> {
    match collection {
        Members::COLLECTION
        | Retention::COLLECTION
        | ImmutableRules::COLLECTION
        | ProjectScanner::COLLECTION
        | Execution::COLLECTION
        | Verification::COLLECTION => Some(name),
        Membership::COLLECTION
        | Webhook::COLLECTION
        | Label::COLLECTION
        | PreheatPolicy::COLLECTION
        | NumberedRobot::COLLECTION => split(name).map(|(project, _)| project),
        // The name of neither a project nor a robot contains a plus.
        Robot::COLLECTION => name.split_once('+').map(|(project, _)| project),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{in_project, part};

    #[test]
    fn what_belongs_to_a_project_is_in_its_part() {
        assert_eq!(part("members", "alpha"), Some("alpha"));
        assert_eq!(part("webhook", &in_project("alpha", "ci/cd")), Some("alpha"));
        assert_eq!(part("robot", "alpha+ci"), Some("alpha"));
    }

    #[test]
    fn what_belongs_to_no_project_is_in_no_part() {
        for (collection, name) in [("robot", "ci"), ("label", "hot"), ("project", "alpha")] {
            assert_eq!(part(collection, name), None, "{collection} {name}");
        }
    }
}
