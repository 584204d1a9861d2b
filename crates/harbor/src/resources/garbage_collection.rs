//! Garbage collection: deletes blobs that no artifact uses.

use super::{
    is_false,
    schedules::{Body, Job, Schedule},
};
use crate::{ExecutionId, Harbor, Version, client::Path, error::Error, version::Feature};
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Garbage collection.
    pub fn garbage_collection(&self) -> GarbageCollection<'_> {
        GarbageCollection { harbor: self }
    }
}

/// Calls about garbage collection.
#[derive(Clone, Copy, Debug)]
pub struct GarbageCollection<'h> {
    harbor: &'h Harbor,
}

const SCHEDULE: &str = "/system/gc/schedule";
const HISTORY: &str = "/system/gc";

impl GarbageCollection<'_> {
    /// The schedule, if there is one.
    pub async fn schedule(&self) -> Result<Option<Job>, Error> {
        self.harbor.get(Path::new(SCHEDULE)).json_if_any().await
    }

    /// Sets the schedule.
    ///
    /// The address and password of Redis that Core has now become part of it: set it again after they change.
    pub async fn set_schedule(&self, schedule: &Schedule, parameters: &Parameters) -> Result<(), Error> {
        let body = Body::set(schedule, Some(parameters));
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Removes the schedule.
    pub async fn remove_schedule(&self) -> Result<(), Error> {
        let body = Body::<Parameters>::none(None);
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Starts a run now, each time.
    pub async fn start(&self, parameters: &Parameters) -> Result<ExecutionId, Error> {
        let body = Body::now(Some(parameters));
        self.harbor.post(Path::new(SCHEDULE)).body(&body).reaches_jobservice().created().await
    }

    /// Past and present runs.
    pub async fn history(&self) -> Result<Vec<Job>, Error> {
        self.harbor.get(Path::new(HISTORY)).pages().await
    }

    /// A run.
    pub async fn get(&self, id: ExecutionId) -> Result<Option<Job>, Error> {
        self.harbor.get(Path::new(HISTORY).id(id)).json_if_found().await
    }

    /// Stops a run, from 2.6 on.
    pub async fn stop(&self, id: ExecutionId) -> Result<(), Error> {
        self.harbor.put(Path::new(HISTORY).id(id)).reaches_jobservice().done().await
    }

    /// The log of a run.
    pub async fn log(&self, id: ExecutionId) -> Result<String, Error> {
        self.harbor.get(Path::new(HISTORY).id(id).then("log")).reaches_jobservice().text().await
    }
}

/// The parameters of a garbage collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Whether untagged artifacts are deleted.
    pub delete_untagged: bool,
    /// How many blobs are deleted at once, from 2.9 on. See [`Version::gc_workers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u8>,
    /// Whether tags in the storage of the registry are deleted, from 2.15 on.
    #[serde(skip_serializing_if = "is_false")]
    pub delete_tag: bool,
    /// Whether nothing is deleted.
    #[serde(skip_serializing_if = "is_false")]
    pub dry_run: bool,
}

impl Parameters {
    /// The parameters of a schedule, as far as Harbor shows them.
    pub fn shown(job: &Job) -> Self {
        job.parameters()
    }

    /// Whether a schedule shows these parameters. A version does not show those that it does not have, and none shows
    /// `dry_run`.
    pub fn are_shown(&self, job: &Job, version: Version) -> bool {
        let shown = Self::shown(job);
        self.delete_untagged == shown.delete_untagged
            && (!version.has(Feature::GarbageCollectionWorkers) || self.same_workers(shown))
            && (!version.has(Feature::GarbageCollectionTags) || self.delete_tag == shown.delete_tag)
    }

    /// Without a number, Harbor shows 0 or 1.
    fn same_workers(self, shown: Self) -> bool {
        match self.workers {
            Some(workers) => shown.workers == Some(workers),
            None => shown.workers.unwrap_or_default() <= 1,
        }
    }
}

/// What a run deleted, or would delete if it were no dry run. Harbor counts it from 2.9 on, and shows it when the run has
/// succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Collected {
    /// The size of the blobs in bytes.
    pub freed_space: i64,
    /// How many blobs.
    pub purged_blobs: i64,
    /// How many manifests.
    pub purged_manifests: i64,
}

impl Collected {
    /// What a run shows among its parameters.
    pub fn of(run: &Job) -> Option<Self> {
        run.parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::{Collected, Job, Parameters};
    use crate::Version;
    use serde_json::{Value, json};

    fn shown(parameters: Value) -> Job {
        serde_json::from_value(json!({"id": 10, "job_parameters": parameters.to_string()})).unwrap()
    }

    #[test]
    fn only_what_a_version_shows_is_compared() {
        let wanted = Parameters { delete_untagged: true, workers: Some(2), delete_tag: true, dry_run: true };
        let newest = shown(json!({"delete_tag": true, "delete_untagged": true, "workers": 2}));
        assert!(wanted.are_shown(&newest, Version::new(2, 15, 2)));
        let old = shown(json!({"delete_untagged": true}));
        assert!(wanted.are_shown(&old, Version::new(2, 5, 6)));
        assert!(!wanted.are_shown(&old, Version::new(2, 9, 5)));
    }

    #[test]
    fn without_a_number_of_workers_one_is_no_difference() {
        let wanted = Parameters { delete_untagged: true, ..Parameters::default() };
        let job = |workers| shown(json!({"delete_untagged": true, "workers": workers}));
        let compare = |workers| wanted.are_shown(&job(workers), Version::new(2, 15, 2));
        assert_eq!([0, 1, 3].map(compare), [true, true, false]);
    }

    #[test]
    fn a_run_shows_what_it_deleted_from_2_9_on() {
        let old = json!({"delete_untagged": true, "dry_run": false, "time_window": 2});
        let mut new = old.clone();
        new["freed_space"] = 3_000_000_000_i64.into();
        new["purged_blobs"] = 2.into();
        new["purged_manifests"] = 1.into();
        let collected = Collected { freed_space: 3_000_000_000, purged_blobs: 2, purged_manifests: 1 };
        assert_eq!([old, new].map(|it| Collected::of(&shown(it))), [None, Some(collected)]);
    }

    #[test]
    fn the_number_of_workers_is_a_number() {
        let sent = serde_json::to_value(Parameters { workers: Some(2), ..Parameters::default() }).unwrap();
        assert_eq!(sent, json!({"delete_untagged": false, "workers": 2}));
    }
}
