//! The state of one owner that the operator keeps between reconciles.

use super::{Owner, memo::Memo};
use crate::{
    Metrics,
    cluster::Index,
    external::Recorded,
    report::{ReportedProblem, Written},
    telemetry::{Counted, Installation, Issuer, Logged, ObjectState, ShownInstallation, Tracked},
};
use jiff::Timestamp;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// The state of one owner that the operator keeps between reconciles.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) memo: Memo,
    pub(crate) written: Option<Written>,
    /// When the operator last wrote the status.
    pub(crate) written_at: Option<Instant>,
    /// The latest time for the first status.
    pub(crate) first_status_due: Option<Instant>,
    /// When the status will be another one although nothing else changes.
    pub(crate) report_due: Option<Timestamp>,
    pub(crate) problem: ReportedProblem,
    /// Reason and message of the last verdict on an owner whose status is not written.
    pub(crate) verdict: Option<(&'static str, Option<String>)>,
    /// The state that was last logged.
    pub(crate) logged: Logged,
    /// The state in which the metrics count the object.
    pub(crate) counted: Option<Counted>,
    /// The first certificate to expire of each issuer, for the metrics.
    certificates: BTreeMap<Issuer, Tracked>,
    /// What the metrics show of it, if it is an installation.
    installation: Option<ShownInstallation>,
    /// What is recorded of its objects outside the cluster.
    pub(crate) recorded: Arc<Mutex<Recorded>>,
    /// Failures in a row.
    pub(crate) attempts: u32,
}

impl Session {
    /// How long until the operator renews a certificate, plans the owner anew or writes another status; `None` if that
    /// time has passed.
    pub(crate) fn due_in(&self, now: Timestamp) -> Option<Duration> {
        let due = self.memo.due().into_iter().chain(self.report_due).filter(|due| *due > now).min()?;
        due.duration_since(now).try_into().ok()
    }

    /// Updates the metrics of the owner, if it is an installation.
    pub(crate) fn track_installation(&mut self, owner: &Owner, state: ObjectState, metrics: &Metrics) {
        let Some(version) = owner.decoded.as_ref().ok().and_then(|object| object.installed_version()) else {
            self.installation = None;
            return;
        };
        let certificate_expires = self.memo.served_until();
        let now = Installation { version: version.to_owned(), state, certificate_expires };
        match &self.installation {
            Some(shown) => shown.update(now),
            None => self.installation = Some(metrics.show(&owner.key, now)),
        }
    }

    /// Updates the metrics of the owner's certificates.
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
