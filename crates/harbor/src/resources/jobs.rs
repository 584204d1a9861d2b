//! Queues and workers of JobService, from 2.7 on.

use crate::{Harbor, client::Path, error::Error, words::words};
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Queues and workers of JobService.
    pub fn jobs(&self) -> Jobs<'_> {
        Jobs { harbor: self }
    }
}

/// Calls about queues and workers.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'h> {
    harbor: &'h Harbor,
}

const QUEUES: &str = "/jobservice/queues";
const SCHEDULES: &str = "/schedules";
const POOLS: &str = "/jobservice/pools";

impl Jobs<'_> {
    /// All queues.
    pub async fn queues(&self) -> Result<Vec<Queue>, Error> {
        self.harbor.get(Path::new(QUEUES)).reaches_jobservice().json().await
    }

    /// Does something with the queue of a type of job. Harbor accepts unknown types and does nothing.
    pub async fn act(&self, queue: &str, action: Action) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Request {
            action: Action,
        }
        let call = self.harbor.put(Path::new(QUEUES).name(queue)).body(&Request { action });
        call.reaches_jobservice().done().await
    }

    /// Pauses or resumes all queues and the scheduler.
    pub async fn act_on_all(&self, action: Action) -> Result<(), Error> {
        self.act("all", action).await
    }

    /// Whether all schedules are paused.
    pub async fn schedules_paused(&self) -> Result<bool, Error> {
        let path = Path::new(SCHEDULES).then("all").then("paused");
        let status: Paused = self.harbor.get(path).reaches_jobservice().json().await?;
        Ok(status.paused)
    }

    /// All schedules.
    pub async fn schedules(&self) -> Result<Vec<ScheduledJob>, Error> {
        self.harbor.get(Path::new(SCHEDULES)).pages().await
    }

    /// The worker pools, one for each replica of JobService.
    pub async fn pools(&self) -> Result<Vec<Pool>, Error> {
        self.harbor.get(Path::new(POOLS)).reaches_jobservice().json().await
    }

    /// The workers of all pools.
    pub async fn workers(&self) -> Result<Vec<Worker>, Error> {
        self.harbor.get(Path::new(POOLS).then("all").then("workers")).reaches_jobservice().json().await
    }
}

words! {
    /// What can be done with a queue.
    pub enum Action {
        /// Jobs wait.
        Pause = "pause",
        /// Jobs run again.
        Resume = "resume",
        /// Waiting jobs are removed.
        Stop = "stop",
    }
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Queue {
    /// The type of job.
    pub job_type: String,
    /// How many jobs wait.
    pub count: i64,
    /// How many seconds the first of them has waited.
    pub latency: i64,
    /// Whether it is paused.
    pub paused: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Paused {
    paused: bool,
}

/// A schedule of any kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ScheduledJob {
    /// Its number.
    pub id: i64,
    /// The type of job.
    pub vendor_type: String,
    /// The number of the policy that it belongs to.
    pub vendor_id: i64,
    /// The cron line.
    pub cron: String,
}

/// A worker pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Pool {
    /// Its identifier.
    pub worker_pool_id: String,
    /// The host that it runs on.
    pub host: String,
    /// How many jobs it runs at once.
    pub concurrency: i64,
}

/// A worker. Without a job, it waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Worker {
    /// Its identifier.
    pub id: String,
    /// Its pool.
    pub pool_id: String,
    /// The type of its job.
    pub job_name: String,
    /// Its job.
    pub job_id: String,
}
