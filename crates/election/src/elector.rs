//! A candidate in the leader election.

use super::{
    Election, Leadership,
    record::{Record, claimed, released},
};
use futures::{Stream, StreamExt as _};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api, Client,
    api::PostParams,
    runtime::watcher::{self, Event, watcher},
};
use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, sleep_until, timeout};

/// Why the operator is no longer the leader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Another operator took the lease.
    #[error("the lease {lease} was taken by {holder:?}")]
    Taken {
        /// The lease.
        lease: String,
        /// The identity of the new holder.
        holder: String,
    },
    /// The lease was not renewed in time, so another operator may take it.
    #[error("the lease {lease} could not be renewed in time: {problem}")]
    Unrenewed {
        /// The lease.
        lease: String,
        /// Why the renewals failed.
        problem: String,
    },
}

/// Why one attempt failed.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{0}")]
    Api(#[from] kube::Error),
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("the renew deadline passed before the first attempt")]
    DeadlinePassed,
}

impl Problem {
    /// Whether the operator's copy of the lease is outdated.
    fn is_outdated(&self) -> bool {
        let Self::Api(kube::Error::Api(status)) = self else { return false };
        status.is_conflict() || status.is_already_exists() || status.is_not_found()
    }
}

/// The holder of the lease.
#[derive(Debug)]
enum Holder {
    This,
    Another(String),
}

/// A random duration up to the given one, so that candidates do not act at the same time.
pub type Jitter = Arc<dyn Fn(Duration) -> Duration + Send + Sync>;

/// The watch of the lease while another operator holds it.
type LeaseEvents<'a> = Pin<&'a mut (dyn Stream<Item = watcher::Result<Event<Lease>>> + Send)>;

/// One candidate. In steady state the leader sends one `PUT` per retry period. A standby replica watches the lease,
/// so that it sees renewals and a release at once, and sends no requests.
pub struct Elector {
    api: Api<Lease>,
    election: Election,
    leadership: Leadership,
    clock: fn() -> Timestamp,
    jitter: Jitter,
    record: Option<Record>,
    /// Whether this operator may hold the lease, also after an attempt that was abandoned before its answer.
    claimed: bool,
}

impl Elector {
    /// A candidate for the lease of `election`. It prolongs and ends `leadership`; the clock gives the times in the lease.
    pub fn new(
        client: Client,
        election: Election,
        leadership: Leadership,
        clock: fn() -> Timestamp,
        jitter: Jitter,
    ) -> Self {
        let api = Api::namespaced(client, &election.namespace);
        Self { api, election, leadership, clock, jitter, record: None, claimed: false }
    }

    /// Waits until this operator is the leader.
    pub async fn acquire(&mut self) {
        let this_lease = watcher::Config::default().fields(&format!("metadata.name={}", self.election.name));
        let mut events = pin!(watcher(self.api.clone(), this_lease));
        let mut known = None;
        loop {
            match self.attempt().await {
                Ok(Holder::This) => {
                    tracing::info!(
                        lease = self.lease(),
                        identity = self.election.identity,
                        "became the leader"
                    );
                    return;
                }
                Ok(Holder::Another(holder)) => {
                    if known.as_ref() != Some(&holder) {
                        tracing::info!(
                            lease = self.lease(),
                            holder,
                            "another operator is the leader; standing by"
                        );
                        known = Some(holder);
                    }
                }
                // Another candidate was faster. The next attempt reads which one.
                Err(problem) if problem.is_outdated() => {}
                Err(problem) => {
                    tracing::warn!(lease = self.lease(), %problem, "could not acquire the lease; the operator retries");
                }
            }
            self.follow(events.as_mut()).await;
        }
    }

    /// Waits until the lease may have another holder than the known one, or none.
    ///
    /// Without events of the watch, that is the next retry. After a renewal, it is when the lease expires.
    async fn follow(&mut self, mut events: LeaseEvents<'_>) {
        let mut next = self.next_retry();
        let known = self.rival().map(str::to_owned);
        loop {
            let event = tokio::select! {
            () = sleep_until(next) => return,
            Some(event) = events.next() => event,
            };
            match event {
                Ok(Event::Apply(lease) | Event::InitApply(lease)) => self.observe(Some(lease)),
                Ok(Event::Delete(_)) => self.observe(None),
                Ok(Event::Init | Event::InitDone) => continue,
                Err(problem) => {
                    tracing::debug!(lease = self.lease(), %problem, "could not watch the lease; the operator reads it instead");
                    return sleep_until(self.next_retry()).await;
                }
            }
            match self.record.as_ref().filter(|_| known.is_some() && self.rival() == known.as_deref()) {
                Some(record) => next = record.expires(self.election.timing),
                None => return,
            }
        }
    }

    /// Renews the lease until it is lost.
    pub async fn renew_until_lost(&mut self) -> Lost {
        let mut problem = Problem::DeadlinePassed;
        let mut next = Instant::now() + self.election.timing.period();
        // A renewal that begins after the end of the term is too late.
        while let Some(end) = self.leadership.until().filter(|end| next < *end) {
            sleep_until(next).await;
            next = Instant::now() + self.election.timing.period();
            match self.renew(end).await {
                Ok(Holder::This) => {}
                Ok(Holder::Another(holder)) => {
                    self.leadership.end();
                    return Lost::Taken { lease: self.lease(), holder };
                }
                Err(failed) => {
                    tracing::warn!(lease = self.lease(), problem = %failed, "could not renew the lease");
                    problem = failed;
                }
            }
        }
        self.leadership.end();
        Lost::Unrenewed { lease: self.lease(), problem: problem.to_string() }
    }

    /// Releases the lease, if this operator holds it, so that another need not wait until it expires. Ends the
    /// leadership.
    pub async fn release(&mut self) {
        self.leadership.end();
        if !self.claimed {
            return;
        }
        let longest = self.election.timing.request_timeout();
        match timeout(longest, self.write_release()).await.unwrap_or(Err(Problem::Timeout(longest))) {
            Ok(()) => tracing::info!(lease = self.lease(), "released the lease"),
            Err(problem) => {
                tracing::warn!(lease = self.lease(), %problem, "could not release the lease; it will expire");
            }
        }
    }

    async fn write_release(&mut self) -> Result<(), Problem> {
        // The API server may still store a renewal that was abandoned.
        loop {
            self.read().await?;
            let ours = self.record.as_ref().filter(|record| self.is_ours(record));
            let Some(record) = ours else { return Ok(()) };
            let lease = released(record.lease.clone(), (self.clock)());
            match self.api.replace(&self.election.name, &PostParams::default(), &lease).await {
                Err(kube::Error::Api(status)) if status.is_conflict() => {}
                answer => return Ok(answer.map(drop)?),
            }
        }
    }

    /// Reads the lease and claims it if it is free.
    async fn attempt(&mut self) -> Result<Holder, Problem> {
        let longest = self.election.timing.request_timeout();
        let attempt = async {
            self.read().await?;
            match self.rival() {
                Some(holder) => Ok(Holder::Another(holder.to_owned())),
                None => self.claim().await,
            }
        };
        timeout(longest, attempt).await.unwrap_or(Err(Problem::Timeout(longest)))
    }

    /// Renews the lease, which this operator holds as far as it knows, before its term ends.
    async fn renew(&mut self, end: Instant) -> Result<Holder, Problem> {
        let longest = self.election.timing.request_timeout().min(end.duration_since(Instant::now()));
        let renewal = async {
            match self.claim().await {
                // Perhaps only its labels were changed, or the answer to the last renewal was lost.
                Err(problem) if problem.is_outdated() => {
                    self.read().await?;
                    match self.record.as_ref().filter(|record| !self.is_ours(record)) {
                        Some(record) => Ok(Holder::Another(record.holder().unwrap_or_default().into())),
                        None => self.claim().await,
                    }
                }
                answer => answer,
            }
        };
        timeout(longest, renewal).await.unwrap_or(Err(Problem::Timeout(longest)))
    }

    async fn read(&mut self) -> Result<(), Problem> {
        let found = self.api.get_opt(&self.election.name).await?;
        self.observe(found);
        Ok(())
    }

    fn observe(&mut self, lease: Option<Lease>) {
        match (lease, &mut self.record) {
            (Some(lease), record) => *record = Some(Record::seen(lease, record.as_ref(), Instant::now())),
            (None, Some(record)) => record.deleted(),
            (None, None) => {}
        }
    }

    /// Writes the lease with this operator as holder. The term counts from the start of the request.
    async fn claim(&mut self) -> Result<Holder, Problem> {
        let began = Instant::now();
        let stored = self.record.as_ref().map(|record| &record.lease);
        let lease = claimed(stored, &self.election, (self.clock)());
        let params = PostParams::default();
        self.claimed = true;
        let lease = match &lease.metadata.resource_version {
            Some(_) => self.api.replace(&self.election.name, &params, &lease).await?,
            None => self.api.create(&params, &lease).await?,
        };
        self.record = Some(Record::seen(lease, None, Instant::now()));
        self.leadership.prolong(began + self.election.timing.deadline());
        Ok(Holder::This)
    }

    fn is_ours(&self, record: &Record) -> bool {
        record.holder() == Some(&self.election.identity)
    }

    /// The other operator that holds the lease, until it expires.
    fn rival(&self) -> Option<&str> {
        let record = self.record.as_ref().filter(|record| !self.is_ours(record))?;
        record.holder().filter(|_| Instant::now() < record.expires(self.election.timing))
    }

    /// When to retry: after about one period, with jitter, but no later than the lease expires.
    fn next_retry(&self) -> Instant {
        let period = self.election.timing.period();
        let retry = Instant::now() + period.mul_f32(0.9) + (self.jitter)(period.mul_f32(0.2));
        let expiry = self.record.as_ref().filter(|_| self.rival().is_some());
        expiry.map_or(retry, |record| retry.min(record.expires(self.election.timing)))
    }

    fn lease(&self) -> String {
        format!("{}/{}", self.election.namespace, self.election.name)
    }
}
