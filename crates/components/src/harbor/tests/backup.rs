//! The backup before a hop of an upgrade.

use super::{Case, Harbor, policy_of};
use plan::{Plan, Policy};
use serde_json::{Value, json};

const JOB: &str = "acme-harbor-backup-2-11-2";

/// A Harbor on the way from 2.9.5 to 2.15.0, with a backup by the CronJob `nightly`, of which nothing has run yet.
fn a_harbor() -> Case<Harbor> {
    Case::golden("backup")
}

/// The same, with the Job as the operator has created it, and this status.
fn with_job(status: &Value) -> Case<Harbor> {
    let mut case = a_harbor();
    let mut job = case.child("Job");
    job["status"] = status.clone();
    case.inputs.push(job);
    case
}

fn ended(how: &str, message: &str) -> Value {
    json!({"conditions": [{"type": how, "status": "True", "message": message}]})
}

/// The version that Core gets.
fn core(plan: &Plan) -> String {
    let core = plan.graph.iter().find(|(_, desired, _)| desired.object.key().kind == "Core").unwrap().1;
    core.object.meta().annotations.as_ref().unwrap()["harbor.goharbor.io/version"].clone()
}

/// What the first hop waits for.
fn waits(plan: &Plan) -> Option<&str> {
    let (_, why) = plan.outlook.waits.as_ref()?;
    Some(why.strip_prefix("the upgrade from 2.9.5 to 2.11.2 waits: ").unwrap())
}

#[test]
fn core_keeps_its_version_until_the_job_is_complete() {
    let plan = a_harbor().plan().unwrap();
    assert_eq!(policy_of(&plan, JOB), Some(Policy::Apply));
    assert_eq!(core(&plan), "2.9.5");
    let expected = format!(
        "Job registry/{JOB} makes a backup first, as CronJob registry/nightly does; 2.13.2, 2.15.0 follows after it"
    );
    assert_eq!(waits(&plan), Some(&*expected));

    let plan = with_job(&json!({"startTime": "2026-01-01T00:00:00Z", "failed": 1})).plan().unwrap();
    assert_eq!(core(&plan), "2.9.5");
    let said = waits(&plan).unwrap();
    let running =
        format!("Job registry/{JOB} makes a backup since 2026-01-01T00:00:00Z, and 1 of its pods has failed");
    assert!(said.starts_with(&running), "{said}");

    let plan = with_job(&ended("Complete", "")).plan().unwrap();
    assert_eq!((core(&plan).as_str(), waits(&plan)), ("2.11.2", None));
    assert!(matches!(policy_of(&plan, JOB), Some(Policy::Await { .. })), "its template cannot change");
}

#[test]
fn a_job_that_failed_stays_until_its_cron_job_changes() {
    let case = with_job(&ended("Failed", "Job has reached the specified backoff limit"));
    let plan = case.plan().unwrap();
    assert_eq!(core(&plan), "2.9.5");
    let said = waits(&plan).unwrap();
    let failed = format!(
        "the backup by Job registry/{JOB} has failed (Job has reached the specified backoff limit); nothing"
    );
    assert!(said.starts_with(&failed), "{said}");
    assert!(matches!(policy_of(&plan, JOB), Some(Policy::Await { .. })));

    let mut changed = case;
    let cron_job = changed.inputs.iter_mut().find(|input| input["kind"] == "CronJob").unwrap();
    cron_job["spec"]["jobTemplate"]["spec"]["backoffLimit"] = 3.into();
    assert_eq!(policy_of(&changed.plan().unwrap(), JOB), None, "it is deleted, and then created again");
}

#[test]
fn a_job_that_is_under_way_or_complete_goes_on_without_its_cron_job() {
    let without = |status: &Value| with_job(status).without("nightly").plan().unwrap();
    let complete = without(&ended("Complete", ""));
    assert_eq!((core(&complete).as_str(), waits(&complete)), ("2.11.2", None));
    assert!(waits(&without(&json!({}))).unwrap().starts_with(&format!("Job registry/{JOB} makes a backup")));
    let missing = a_harbor().without("nightly").plan().unwrap();
    let said = waits(&missing).unwrap();
    assert!(
        said.starts_with("CronJob registry/nightly of spec.upgrade.backup does not exist: create it"),
        "{said}"
    );
    assert_eq!(policy_of(&missing, JOB), None);
}

#[test]
fn a_hop_that_does_not_migrate_the_database_has_no_backup() {
    let at = |version: &str| a_harbor().set("/spec/version", json!(version)).plan().unwrap();
    let plan = at("2.9.6");
    assert_eq!((core(&plan).as_str(), waits(&plan)), ("2.9.6", None));
    let jobs = plan.graph.iter().filter(|(_, desired, _)| desired.object.key().kind == "Job");
    assert_eq!(jobs.count(), 0);
}

#[test]
fn a_deadline_in_which_no_backup_can_end_is_refused() {
    for deadline in ["0", "10ms"] {
        let error = a_harbor().set("/spec/upgrade/backup/deadline", json!(deadline)).error();
        let expected =
            "spec.upgrade.backup.deadline: is no time in which a backup can end; set it to 1h, for example";
        assert_eq!(error, expected, "{deadline}");
    }
}
