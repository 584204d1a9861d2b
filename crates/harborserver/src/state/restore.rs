//! A database that comes back from a backup.

use super::{
    Data, Id,
    table::{Table, shifted},
};
use crate::{members::Entity, projects::Project, users::User};

/// Numbers below are those of every Harbor: `library`, `admin` and `anonymous`.
const FIRST_PROJECT: i64 = 2;
const FIRST_USER: i64 = 3;

impl Data {
    /// Gives every object another number, so that only names still tell which one is which.
    pub fn renumber(&mut self, by: i64) {
        let project = |id: Id<Project>| shifted(id, FIRST_PROJECT, by);
        let user = |id: Id<User>| shifted(id, FIRST_USER, by);
        self.projects.renumber(FIRST_PROJECT, by);
        self.users.renumber(FIRST_USER, by);
        for (_, row) in self.projects.iter_mut() {
            row.owner = user(row.owner);
            row.registry = row.registry.map(|id| any(id, by));
            row.scanner = row.scanner.map(|id| any(id, by));
            if let Some(retention) = row.metadata.get_mut("retention_id") {
                *retention =
                    retention.parse().map_or_else(|_| retention.clone(), |id: i64| (id + by).to_string());
            }
        }
        renumbered(&mut self.allowlists, by, |row| row.project = row.project.map(project));
        renumbered(&mut self.quotas, by, |row| row.project = project(row.project));
        renumbered(&mut self.members, by, |row| {
            row.project = project(row.project);
            row.entity = match row.entity {
                Entity::User(id) => Entity::User(user(id)),
                Entity::Group(id) => Entity::Group(any(id, by)),
            };
        });
        renumbered(&mut self.groups, by, |_| {});
        renumbered(&mut self.robots, by, |row| row.project = row.project.map(project));
        renumbered(&mut self.registries, by, |_| {});
        renumbered(&mut self.replication_policies, by, |row| row.renumber(|id| any(id, by)));
        renumbered(&mut self.retention_policies, by, |row| row.project = project(row.project));
        renumbered(&mut self.immutable_rules, by, |row| row.project = project(row.project));
        renumbered(&mut self.webhook_policies, by, |row| row.project = project(row.project));
        renumbered(&mut self.labels, by, |row| row.scope = row.scope.renumbered(project));
        renumbered(&mut self.scanners, by, |_| {});
        renumbered(&mut self.preheat_instances, by, |_| {});
        renumbered(&mut self.preheat_policies, by, |row| {
            row.project = project(row.project);
            row.provider = any(row.provider, by);
        });
        renumbered(&mut self.repositories, by, |row| row.project = project(row.project));
        renumbered(&mut self.artifacts, by, |row| {
            row.project = project(row.project);
            row.repository = any(row.repository, by);
            row.labels = row.labels.iter().map(|label| any(*label, by)).collect();
            row.scan = None;
        });
        renumbered(&mut self.tags, by, |row| {
            row.repository = any(row.repository, by);
            row.artifact = any(row.artifact, by);
        });
        self.jobs.renumber(by);
    }
}

fn any<T>(id: Id<T>, by: i64) -> Id<T> {
    shifted(id, 1, by)
}

fn renumbered<T>(table: &mut Table<T>, by: i64, mut references: impl FnMut(&mut T)) {
    table.renumber(1, by);
    for (_, row) in table.iter_mut() {
        references(row);
    }
}
