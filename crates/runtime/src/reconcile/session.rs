//! What is remembered of one object between reconciles.

use super::memo::Memo;
use crate::{
    Metrics,
    cluster::Index,
    external::Recorded,
    report::{Trouble, Written},
    telemetry::{Counted, Issuer, Logged, Tracked},
};
use jiff::Timestamp;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// What is remembered of one owner between reconciles.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) memo: Memo,
    pub(crate) written: Option<Written>,
    /// When that was.
    pub(crate) written_at: Option<Instant>,
    /// When the first status is written at the latest.
    pub(crate) first_status_due: Option<Instant>,
    pub(crate) trouble: Trouble,
    /// What was logged of it.
    pub(crate) logged: Logged,
    /// As what the object is counted.
    pub(crate) counted: Option<Counted>,
    /// Its certificates, the first to expire of each issuer.
    certificates: BTreeMap<Issuer, Tracked>,
    /// What is recorded of its objects outside the cluster.
    pub(crate) recorded: Arc<Mutex<Recorded>>,
    /// Failures in a row.
    pub(crate) attempts: u32,
}

impl Session {
    /// How long until the first certificate is to be renewed; `None` where that was to be done just now.
    pub(crate) fn due_in(&self, now: Timestamp) -> Option<Duration> {
        let due = self.memo.due().filter(|due| *due > now)?;
        due.duration_since(now).try_into().ok()
    }

    /// Keeps count of the object's certificates.
    pub(crate) fn track_certificates(&mut self, index: &Index, metrics: &Metrics) {
        for issuer in [Issuer::Operator, Issuer::CertManager] {
            let expires = self.memo.expiry(issuer, index);
            if expires == self.certificates.get(&issuer).map(Tracked::expires) {
                continue;
            }
            match expires {
                Some(expires) => drop(self.certificates.insert(issuer, metrics.track(issuer, expires))),
                None => drop(self.certificates.remove(&issuer)),
            }
        }
    }
}
