//! What an execution did, in a sentence, as far as Harbor counts it.

use harbor::{
    garbage_collection::{self, Collected},
    purge, replication,
    retention::{RetentionTask, Run},
    scan_all::ScanMetrics,
    schedules::Job,
};

/// What a garbage collection deleted. Harbor counts that from 2.9 on.
pub(super) fn collected(run: &Job) -> String {
    let Some(Collected { freed_space, purged_blobs, purged_manifests }) = Collected::of(run) else {
        return String::new();
    };
    if garbage_collection::Parameters::shown(run).dry_run {
        format!(
            "dry run: {purged_blobs} blobs and {purged_manifests} manifests would be deleted, {freed_space} bytes freed"
        )
    } else {
        format!("{purged_blobs} blobs and {purged_manifests} manifests deleted, {freed_space} bytes freed")
    }
}

/// What a purge of the audit log deleted. Only the log of the run says how many entries.
pub(super) fn purged(run: &Job) -> String {
    let purge::Parameters { audit_retention_hour: hours, dry_run, .. } = purge::Parameters::shown(run);
    let (before, deleted) = if dry_run { ("dry run: ", "would be deleted") } else { ("", "deleted") };
    format!(
        "{before}entries older than {hours} hours {deleted}; the log of the run in Harbor has their number"
    )
}

/// What a replication copied.
pub(super) fn replicated(run: &replication::ReplicationExecution) -> String {
    format!("{} of {} tasks succeeded, {} failed", run.succeed, run.total, run.failed)
}

/// What a run of a retention policy deleted in its repositories.
pub(super) fn retained(tasks: &[RetentionTask], run: Run) -> String {
    let total: i64 = tasks.iter().map(|task| task.total).sum();
    let kept: i64 = tasks.iter().map(|task| task.retained).sum();
    let failed = tasks.iter().filter(|task| !matches!(task.status.as_str(), "Success" | "Succeed")).count();
    let (before, deleted) = match run {
        Run::Real => ("", "deleted"),
        Run::Dry => ("dry run: ", "would be deleted"),
    };
    let (gone, repositories) = (total - kept, tasks.len());
    let failed = if failed == 0 { String::new() } else { format!(", {failed} repositories failed") };
    format!("{before}{gone} of {total} artifacts in {repositories} repositories {deleted}{failed}")
}

/// What a scan of all artifacts scanned.
pub(super) fn scanned(metrics: &ScanMetrics) -> String {
    let count = |status: &str| metrics.metrics.get(status).copied().unwrap_or_default();
    let unscanned = [("Error", "failed"), ("Stopped", "stopped")];
    let unscanned = unscanned.into_iter().filter(|(status, _)| count(status) > 0);
    let unscanned: Vec<_> = unscanned.map(|(status, word)| format!(", {} {word}", count(status))).collect();
    format!("{} of {} artifacts scanned{}", count("Success"), metrics.total, unscanned.concat())
}
