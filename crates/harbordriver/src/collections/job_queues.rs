//! The queues of JobService, and the jobs that run.

use crate::{
    client::Client,
    failure::system_error,
    manage::{Manage, Objects, Start, desired, found, shown},
};
use harbor::jobs::Action;
use harborstate::job_queues::{self, Facts, NAME, Queue};
use plan::{External, SystemError};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

/// How long Harbor may take to show its queues: JobService, which Core asks, may not answer.
const LONGEST: Duration = Duration::from_secs(15);

/// A worker tells Harbor of a job that it has taken from a queue within a second.
const REPORTED: Duration = Duration::from_secs(2);

/// The collection `job-queues`.
pub(crate) struct JobQueues;

impl Manage for JobQueues {
    const UPDATES: Start = Start::Known;

    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let too_long = || SystemError::Unreachable(format!("no answer within {} s", LONGEST.as_secs()));
        match tokio::time::timeout(LONGEST, read(client)).await {
            Ok(Ok(value)) => Ok([(NAME.to_owned(), value)].into()),
            Ok(Err(error)) => Self::unlisted(error),
            Err(_elapsed) => Self::unlisted(too_long()),
        }
    }

    fn unlisted(error: SystemError) -> Result<Objects, SystemError> {
        let facts = Facts { problem: Some(plan::one_line(&error)), ..Facts::default() };
        Ok([(NAME.to_owned(), shown(job_queues::JobQueues::default(), facts)?)].into())
    }

    /// Returns when all jobs that were taken before are shown.
    async fn update(client: &Client, wanted: &External, known: &Value) -> Result<(), SystemError> {
        let (wanted, actual) =
            (desired::<job_queues::JobQueues>(wanted)?, found::<job_queues::JobQueues>(known)?);
        let differing = wanted
            .queues
            .iter()
            .filter(|(name, queue)| actual.state.queues.get(*name).is_some_and(|actual| actual != *queue));
        let mut has_paused = false;
        for (name, Queue { paused }) in differing {
            let action = if *paused { Action::Pause } else { Action::Resume };
            client.harbor.jobs().act(name, action).await.map_err(system_error)?;
            has_paused |= paused;
        }
        if has_paused {
            tokio::time::sleep(REPORTED).await;
        }
        Ok(())
    }
}

/// Jobs are read after the queues: one that is taken from a queue before the queue is paused is among them.
async fn read(client: &Client) -> Result<Value, SystemError> {
    let jobs = client.harbor.jobs();
    let queues = jobs.queues().await.map_err(system_error)?;
    let workers = jobs.workers().await.map_err(system_error)?;
    let queues = queues.into_iter().map(|queue| (queue.job_type, Queue { paused: queue.paused })).collect();
    let mut running = BTreeMap::<String, usize>::new();
    for worker in workers.into_iter().filter(|worker| !worker.job_id.is_empty()) {
        *running.entry(worker.job_name).or_default() += 1;
    }
    shown(job_queues::JobQueues { queues }, Facts { running, problem: None })
}
