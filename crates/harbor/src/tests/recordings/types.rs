//! The type of the answer to each call.

use super::Exchange;
use crate::{
    allowlists::CveAllowlist,
    audit,
    authentication::LdapPing,
    client::decode::decode_value,
    configurations::Configurations,
    immutable_rules::ImmutableRule,
    jobs::{Pool, Queue, ScheduledJob, Worker},
    labels::Label,
    members::Member,
    preheat::{Instance, PreheatPolicy},
    projects::{Deletable, Metadata, Project, Summary},
    quotas::Quota,
    registries::{Registry, RegistryInfo, RegistryType},
    replication::{ReplicationExecution, ReplicationPolicy, ReplicationTask},
    repositories::Repository,
    retention::{RetentionExecution, RetentionMetadata, RetentionPolicy, RetentionTask},
    robots::{CreatedRobot, Renewed, Robot},
    scan_all::{ScanAllSchedule, ScanMetrics},
    scanners::{Adapter, Scanner},
    schedules::Job,
    system::{GeneralInfo, Health, PermissionTables},
    user_groups::UserGroup,
    users::User,
    webhooks::{SupportedEvents, Webhook},
};
use serde::de::DeserializeOwned;

/// The result of reading an answer.
pub(super) enum Reading {
    Read,
    /// It has no body.
    Nothing,
    /// This client does not make the call.
    NotOurs,
    Failed(String),
    /// This table lacks the call.
    Forgotten,
}

pub(super) fn read(exchange: &Exchange) -> Reading {
    if exchange.body.is_null() {
        return Reading::Nothing;
    }
    match exchange.method.as_str() {
        "GET" => got(exchange),
        _ => written(exchange),
    }
}

fn of<T: DeserializeOwned>(exchange: &Exchange) -> Reading {
    match decode_value::<T>(exchange.body.clone()) {
        Ok(_) => Reading::Read,
        Err(problem) => Reading::Failed(problem.to_string()),
    }
}

fn written(exchange: &Exchange) -> Reading {
    match (exchange.method.as_str(), exchange.segments().as_slice()) {
        ("POST", ["robots"]) => of::<CreatedRobot>(exchange),
        ("PATCH", ["robots", _]) => of::<Renewed>(exchange),
        ("POST", ["ldap", "ping"]) => of::<LdapPing>(exchange),
        ("DELETE", ["scanners", _]) => of::<Scanner>(exchange),
        _ => Reading::Forgotten,
    }
}

fn got(exchange: &Exchange) -> Reading {
    match exchange.segments().as_slice() {
        ["projects", _, rest @ ..] if !rest.is_empty() => of_project(exchange, rest),
        ["system", rest @ ..] => of_system(exchange, rest),
        ["ping" | "audit-logs" | "auditlog-exts" | "search" | "statistics"]
        | ["users" | "usergroups", "search"] => Reading::NotOurs,
        ["auditlog-exts", "events"] => of::<Vec<audit::EventType>>(exchange),
        ["configurations"] => of::<Configurations>(exchange),
        ["health"] => of::<Health>(exchange),
        ["systeminfo"] => of::<GeneralInfo>(exchange),
        ["systeminfo", "volumes"] => of::<crate::system::Volumes>(exchange),
        ["permissions"] => of::<PermissionTables>(exchange),
        ["jobservice", "pools"] => of::<Vec<Pool>>(exchange),
        ["jobservice", "pools", _, "workers"] => of::<Vec<Worker>>(exchange),
        ["jobservice", "queues"] => of::<Vec<Queue>>(exchange),
        ["schedules"] => of::<Vec<ScheduledJob>>(exchange),
        ["schedules", _, "paused"] => of::<crate::jobs::Paused>(exchange),
        ["labels"] => of::<Vec<Label>>(exchange),
        ["labels", _] => of::<Label>(exchange),
        ["p2p", "preheat", "instances", _] => of::<Instance>(exchange),
        ["projects"] => of::<Vec<Project>>(exchange),
        ["projects", _] => of::<Project>(exchange),
        ["quotas"] => of::<Vec<Quota>>(exchange),
        ["quotas", _] => of::<Quota>(exchange),
        ["registries"] => of::<Vec<Registry>>(exchange),
        ["registries", _] => of::<Registry>(exchange),
        ["registries", _, "info"] => of::<RegistryInfo>(exchange),
        ["replication", "adapters"] => of::<Vec<RegistryType>>(exchange),
        ["replication", "policies"] => of::<Vec<ReplicationPolicy>>(exchange),
        ["replication", "policies", _] => of::<ReplicationPolicy>(exchange),
        ["replication", "executions", _] => of::<ReplicationExecution>(exchange),
        ["replication", "executions", _, "tasks"] => of::<Vec<ReplicationTask>>(exchange),
        ["retentions", "metadatas"] => of::<RetentionMetadata>(exchange),
        ["retentions", _] => of::<RetentionPolicy>(exchange),
        ["retentions", _, "executions"] => of::<Vec<RetentionExecution>>(exchange),
        ["retentions", _, "executions", _, "tasks"] => of::<Vec<RetentionTask>>(exchange),
        ["robots"] => of::<Vec<Robot>>(exchange),
        ["robots", _] => of::<Robot>(exchange),
        ["scanners"] => of::<Vec<Scanner>>(exchange),
        ["scanners", _] => of::<Scanner>(exchange),
        ["scanners", _, "metadata"] => of::<Adapter>(exchange),
        ["scans", "all", "metrics"] => of::<ScanMetrics>(exchange),
        ["usergroups"] => of::<Vec<UserGroup>>(exchange),
        ["usergroups", _] => of::<UserGroup>(exchange),
        ["users"] => of::<Vec<User>>(exchange),
        ["users", _] => of::<User>(exchange),
        _ => Reading::Forgotten,
    }
}

fn of_project(exchange: &Exchange, rest: &[&str]) -> Reading {
    match rest {
        ["_deletable"] => of::<Deletable>(exchange),
        ["summary"] => of::<Summary>(exchange),
        ["immutabletagrules"] => of::<Vec<ImmutableRule>>(exchange),
        ["members"] => of::<Vec<Member>>(exchange),
        ["members", _] => of::<Member>(exchange),
        ["metadatas", ..] => of::<Metadata>(exchange),
        ["preheat", "policies", _] => of::<PreheatPolicy>(exchange),
        ["repositories"] => of::<Vec<Repository>>(exchange),
        ["repositories", _] => of::<Repository>(exchange),
        ["scanner"] => of::<Scanner>(exchange),
        ["scanner", "candidates"] => of::<Vec<Scanner>>(exchange),
        ["webhook", "events"] => of::<SupportedEvents>(exchange),
        ["webhook", "policies"] => of::<Vec<Webhook>>(exchange),
        ["webhook", "policies", _] => of::<Webhook>(exchange),
        // Artifacts belong to users, robots of the first generation to the past.
        ["artifacts" | "robots"]
        | ["repositories", _, "artifacts", ..]
        | ["webhook", "lasttrigger"]
        | ["webhook", "policies", _, "executions"] => Reading::NotOurs,
        _ => Reading::Forgotten,
    }
}

fn of_system(exchange: &Exchange, rest: &[&str]) -> Reading {
    match rest {
        ["CVEAllowlist"] => of::<CveAllowlist>(exchange),
        ["gc" | "purgeaudit"] => of::<Vec<Job>>(exchange),
        ["gc" | "purgeaudit", _] => of::<Job>(exchange),
        ["gc", _, "log"] => Reading::NotOurs,
        ["scanAll", "schedule"] => of::<ScanAllSchedule>(exchange),
        _ => Reading::Forgotten,
    }
}
