//! Taking part in an election.

use super::{
    Election, Leadership,
    record::{Record, claimed, released},
};
use crate::Entropy;
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

/// Why we no longer lead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Somebody else does.
    #[error("the lease {lease} was taken by {holder:?}")]
    Taken {
        /// The lease.
        lease: String,
        /// Who that is.
        holder: String,
    },
    /// We cannot know that nobody else does.
    #[error("the lease {lease} could not be renewed in time: {problem}")]
    Unrenewed {
        /// The lease.
        lease: String,
        /// What was in the way.
        problem: String,
    },
}

/// Why one attempt failed.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{0}")]
    Api(#[from] kube::Error),
    #[error("no answer within {} s", .0.as_secs_f32())]
    Silence(Duration),
    #[error("the renew deadline passed before that was tried")]
    Late,
}

impl Problem {
    /// Whether the lease is not what we thought it was.
    fn is_outdated(&self) -> bool {
        let Self::Api(kube::Error::Api(status)) = self else { return false };
        status.is_conflict() || status.is_already_exists() || status.is_not_found()
    }
}

/// Who holds the lease.
#[derive(Debug)]
enum Holder {
    Ourselves,
    Another(String),
}

/// What is told of the lease while we do not hold it.
type Sightings<'a> = Pin<&'a mut (dyn Stream<Item = watcher::Result<Event<Lease>>> + Send)>;

/// One candidate. In steady state a leader sends one `PUT` per retry period, and anybody else nothing: it watches, and
/// so sees a renewal when it happens, and a release too.
pub(crate) struct Elector {
    api: Api<Lease>,
    election: Election,
    leadership: Leadership,
    clock: fn() -> Timestamp,
    entropy: Arc<dyn Entropy>,
    record: Option<Record>,
    /// Whether the lease may be ours: an attempt whose answer nobody waited for counts.
    claimed: bool,
}

impl Elector {
    pub(crate) fn new(
        client: Client,
        election: Election,
        leadership: Leadership,
        clock: fn() -> Timestamp,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let api = Api::namespaced(client, &election.namespace);
        Self { api, election, leadership, clock, entropy, record: None, claimed: false }
    }

    /// Waits until we lead.
    pub(crate) async fn win(&mut self) {
        let this_lease = watcher::Config::default().fields(&format!("metadata.name={}", self.election.name));
        let mut sightings = pin!(watcher(self.api.clone(), this_lease));
        let mut known = None;
        loop {
            match self.attempt().await {
                Ok(Holder::Ourselves) => {
                    tracing::info!(lease = self.lease(), identity = self.election.identity, "leading");
                    return;
                }
                Ok(Holder::Another(holder)) => {
                    if known.as_ref() != Some(&holder) {
                        tracing::info!(lease = self.lease(), holder, "standing by");
                        known = Some(holder);
                    }
                }
                // Somebody was faster; who, is seen next time.
                Err(problem) if problem.is_outdated() => {}
                Err(problem) => {
                    tracing::warn!(lease = self.lease(), %problem, "the lease cannot be had; trying again");
                }
            }
            self.follow(sightings.as_mut()).await;
        }
    }

    /// Waits until there may be another holder than we know of, or none.
    ///
    /// Whoever is told nothing looks again after the usual time; whoever was told of a renewal, when the lease expires.
    async fn follow(&mut self, mut sightings: Sightings<'_>) {
        let mut look = self.next_look();
        let known = self.rival().map(str::to_owned);
        loop {
            let told = tokio::select! {
                () = sleep_until(look) => return,
                Some(told) = sightings.next() => told,
            };
            match told {
                Ok(Event::Apply(lease) | Event::InitApply(lease)) => self.saw(Some(lease)),
                Ok(Event::Delete(_)) => self.saw(None),
                Ok(Event::Init | Event::InitDone) => continue,
                Err(problem) => {
                    tracing::debug!(lease = self.lease(), %problem, "the lease cannot be watched; looking at it instead");
                    return sleep_until(self.next_look()).await;
                }
            }
            match self.record.as_ref().filter(|_| known.is_some() && self.rival() == known.as_deref()) {
                Some(record) => look = record.expires(self.election.timing),
                None => return,
            }
        }
    }

    /// Renews the lease until it is lost.
    pub(crate) async fn keep(&mut self) -> Lost {
        let mut problem = Problem::Late;
        let mut next = Instant::now() + self.election.timing.period();
        // What would begin after our term could only come too late.
        while let Some(end) = self.leadership.until().filter(|end| next < *end) {
            sleep_until(next).await;
            next = Instant::now() + self.election.timing.period();
            match self.renew(end).await {
                Ok(Holder::Ourselves) => {}
                Ok(Holder::Another(holder)) => {
                    self.leadership.end();
                    return Lost::Taken { lease: self.lease(), holder };
                }
                Err(failed) => {
                    tracing::warn!(lease = self.lease(), problem = %failed, "the lease was not renewed");
                    problem = failed;
                }
            }
        }
        self.leadership.end();
        Lost::Unrenewed { lease: self.lease(), problem: problem.to_string() }
    }

    /// Gives the lease up, if it is ours, so that another need not wait until it expires. From now on we do not lead.
    pub(crate) async fn release(&mut self) {
        self.leadership.end();
        if !self.claimed {
            return;
        }
        let backoff = self.election.timing.backoff();
        match timeout(backoff, self.hand_back()).await.unwrap_or(Err(Problem::Silence(backoff))) {
            Ok(()) => tracing::info!(lease = self.lease(), "released"),
            Err(problem) => {
                tracing::warn!(lease = self.lease(), %problem, "the lease could not be released; it will expire");
            }
        }
    }

    async fn hand_back(&mut self) -> Result<(), Problem> {
        // A renewal may have been abandoned on its way, and be stored by now or not.
        loop {
            self.look().await?;
            let ours = self.record.as_ref().filter(|record| self.is_ours(record));
            let Some(record) = ours else { return Ok(()) };
            let lease = released(record.lease.clone(), (self.clock)());
            match self.api.replace(&self.election.name, &PostParams::default(), &lease).await {
                Err(kube::Error::Api(status)) if status.is_conflict() => {}
                answer => return Ok(answer.map(drop)?),
            }
        }
    }

    /// Looks at the lease and claims it where it is free.
    async fn attempt(&mut self) -> Result<Holder, Problem> {
        let backoff = self.election.timing.backoff();
        let attempt = async {
            self.look().await?;
            match self.rival() {
                Some(holder) => Ok(Holder::Another(holder.to_owned())),
                None => self.owned_fields().await,
            }
        };
        timeout(backoff, attempt).await.unwrap_or(Err(Problem::Silence(backoff)))
    }

    /// Renews the lease, which is ours as far as we know, before our term ends.
    async fn renew(&mut self, end: Instant) -> Result<Holder, Problem> {
        let backoff = self.election.timing.backoff().min(end.duration_since(Instant::now()));
        let renewal = async {
            match self.owned_fields().await {
                // Perhaps only its labels were changed, or the answer to our own renewal was lost.
                Err(problem) if problem.is_outdated() => {
                    self.look().await?;
                    match self.record.as_ref().filter(|record| !self.is_ours(record)) {
                        Some(record) => Ok(Holder::Another(record.holder().unwrap_or_default().into())),
                        None => self.owned_fields().await,
                    }
                }
                answer => answer,
            }
        };
        timeout(backoff, renewal).await.unwrap_or(Err(Problem::Silence(backoff)))
    }

    async fn look(&mut self) -> Result<(), Problem> {
        let found = self.api.get_opt(&self.election.name).await?;
        self.saw(found);
        Ok(())
    }

    fn saw(&mut self, lease: Option<Lease>) {
        match (lease, &mut self.record) {
            (Some(lease), record) => *record = Some(Record::seen(lease, record.as_ref(), Instant::now())),
            (None, Some(record)) => record.deleted(),
            (None, None) => {}
        }
    }

    /// Writes the lease as ours. How long we lead counts from when this began.
    async fn owned_fields(&mut self) -> Result<Holder, Problem> {
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
        Ok(Holder::Ourselves)
    }

    fn is_ours(&self, record: &Record) -> bool {
        record.holder() == Some(&self.election.identity)
    }

    /// Who keeps us from claiming the lease.
    fn rival(&self) -> Option<&str> {
        let record = self.record.as_ref().filter(|record| !self.is_ours(record))?;
        record.holder().filter(|_| Instant::now() < record.expires(self.election.timing))
    }

    /// When to look again: after the usual time, and not all candidates at once, but no later than the lease expires.
    fn next_look(&self) -> Instant {
        let period = self.election.timing.period();
        let usual = Instant::now() + period.mul_f32(0.9) + self.entropy.jitter(period.mul_f32(0.2));
        let expiry = self.record.as_ref().filter(|_| self.rival().is_some());
        expiry.map_or(usual, |record| usual.min(record.expires(self.election.timing)))
    }

    fn lease(&self) -> String {
        format!("{}/{}", self.election.namespace, self.election.name)
    }
}
