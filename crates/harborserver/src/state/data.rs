//! The database of a Harbor.

use super::Table;
use crate::{
    audit::AuditEntry,
    configurations::Configuration,
    groups::Group,
    immutable::ImmutableRule,
    jobs::{Jobs, Vendor},
    labels::Label,
    members::Member,
    preheat::{PreheatInstance, PreheatPolicy},
    projects::{Allowlist, Project},
    quotas::Quota,
    registries::Registry,
    replication::ReplicationPolicy,
    repositories::{Artifact, Repository, Tag},
    retention::RetentionPolicy,
    robots::Robot,
    scanners::Scanner,
    users::User,
    version::{Change, Version},
    webhooks::WebhookPolicy,
};
use jiff::Timestamp;

/// The database of a Harbor.
#[derive(Clone)]
pub(crate) struct Data {
    pub version: Version,
    pub configuration: Configuration,
    pub projects: Table<Project>,
    pub allowlists: Table<Allowlist>,
    pub quotas: Table<Quota>,
    pub members: Table<Member>,
    pub users: Table<User>,
    pub groups: Table<Group>,
    pub robots: Table<Robot>,
    pub registries: Table<Registry>,
    pub replication_policies: Table<ReplicationPolicy>,
    pub retention_policies: Table<RetentionPolicy>,
    pub immutable_rules: Table<ImmutableRule>,
    pub webhook_policies: Table<WebhookPolicy>,
    pub labels: Table<Label>,
    pub scanners: Table<Scanner>,
    pub preheat_instances: Table<PreheatInstance>,
    pub preheat_policies: Table<PreheatPolicy>,
    pub repositories: Table<Repository>,
    pub artifacts: Table<Artifact>,
    pub tags: Table<Tag>,
    /// The size of all blobs, also of those that only a garbage collection would remove.
    pub stored_bytes: i64,
    pub jobs: Jobs,
    pub audit: Table<AuditEntry>,
}

impl Data {
    /// The database of a Harbor that was installed now: the users `admin` and `anonymous`, and the project `library`.
    pub fn installed(version: Version, admin_password: &str, now: Timestamp) -> Self {
        let mut data = Self {
            version,
            configuration: Configuration::default(),
            projects: Table::default(),
            allowlists: Table::default(),
            quotas: Table::default(),
            members: Table::default(),
            users: Table::default(),
            groups: Table::default(),
            robots: Table::default(),
            registries: Table::default(),
            replication_policies: Table::default(),
            retention_policies: Table::default(),
            immutable_rules: Table::default(),
            webhook_policies: Table::default(),
            labels: Table::default(),
            scanners: Table::default(),
            preheat_instances: Table::default(),
            preheat_policies: Table::default(),
            repositories: Table::default(),
            artifacts: Table::default(),
            tags: Table::default(),
            stored_bytes: 0,
            jobs: Jobs::default(),
            audit: Table::default(),
        };
        let admin = data.users.insert(User::administrator(admin_password, now));
        data.users.insert(User::anonymous(now));
        let library = data.projects.insert(Project::new("library", admin, now).public());
        data.complete_project(library, admin, now);
        data.quotas.insert(Quota { project: library, hard: -1, created: now, updated: Some(now) });
        data.start(now);
        data
    }

    /// What a Core does to its database when it starts: schedules of its own, and what a newer version migrates.
    pub fn start(&mut self, now: Timestamp) {
        if self.version.has(Change::PurgesAudit) && !self.jobs.is_scheduled(Vendor::SystemArtifactCleanup) {
            self.jobs.schedule(Vendor::SystemArtifactCleanup, 0, "0 0 0 * * *", now);
        }
        if self.version.has(Change::SweepsExecutions) && !self.jobs.is_scheduled(Vendor::ExecutionSweep) {
            let cron = if self.version.has(Change::TenGcWorkers) { "0 0 0 * * *" } else { "0 0 * * * *" };
            self.jobs.schedule(Vendor::ExecutionSweep, -1, cron, now);
        }
        if self.version.has(Change::DroppedCharts) {
            for (_, policy) in self.webhook_policies.iter_mut() {
                policy.drop_chart_events();
            }
        }
        if self.version.has(Change::DroppedRobotsV1) {
            self.robots.retain(|_, robot| robot.editable);
        }
        self.configuration.forget_refused();
    }
}
