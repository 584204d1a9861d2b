//! The content of a lease.

use super::{Election, Timing};
use jiff::Timestamp;
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::core::ObjectMeta;
use std::time::Duration;
use tokio::time::Instant;

/// A lease as this operator last observed it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub lease: Lease,
    /// Since when it has this content, by the clock of this operator. No other clock is trusted.
    since: Instant,
}

impl Record {
    /// The lease, observed now.
    pub fn seen(lease: Lease, earlier: Option<&Self>, now: Instant) -> Self {
        let unchanged = earlier.filter(|earlier| earlier.lease.spec == lease.spec);
        Self { since: unchanged.map_or(now, |earlier| earlier.since), lease }
    }

    /// Records that the lease was deleted. Its holder may not have noticed yet, so the expiry stays the same.
    pub fn deleted(&mut self) {
        let ObjectMeta { name, namespace, .. } = std::mem::take(&mut self.lease.metadata);
        self.lease.metadata = ObjectMeta { name, namespace, ..ObjectMeta::default() };
    }

    /// The current or last holder.
    pub fn holder(&self) -> Option<&str> {
        let holder = self.lease.spec.as_ref()?.holder_identity.as_deref()?;
        Some(holder).filter(|holder| !holder.is_empty())
    }

    /// When another operator may take it. The holder states the duration in the lease; otherwise it is that of
    /// `default`.
    pub fn expires(&self, default: Timing) -> Instant {
        let held = self.lease.spec.as_ref().and_then(|spec| spec.lease_duration_seconds);
        let held = held.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs);
        self.since + held.unwrap_or(default.duration())
    }
}

/// The lease with this operator as holder.
pub(super) fn claimed(lease: Option<&Lease>, election: &Election, now: Timestamp) -> Lease {
    let mut lease = lease.cloned().unwrap_or_else(|| Lease {
        metadata: ObjectMeta {
            name: Some(election.name.clone()),
            namespace: Some(election.namespace.clone()),
            ..ObjectMeta::default()
        },
        spec: None,
    });
    let before = lease.spec.take();
    let held_before = before.as_ref().and_then(|spec| spec.holder_identity.as_deref());
    let (acquire_time, transitions) = match &before {
        Some(spec) if held_before == Some(&election.identity) => {
            (spec.acquire_time.clone(), spec.lease_transitions)
        }
        Some(spec) => (None, Some(spec.lease_transitions.unwrap_or_default().saturating_add(1))),
        None => (None, Some(0)),
    };
    lease.spec = Some(LeaseSpec {
        holder_identity: Some(election.identity.clone()),
        lease_duration_seconds: Some(election.timing.duration.into()),
        acquire_time: acquire_time.or(Some(MicroTime(now))),
        renew_time: Some(MicroTime(now)),
        lease_transitions: transitions,
        ..before.unwrap_or_default()
    });
    lease
}

/// The lease without holder, as client-go releases it.
pub(super) fn released(mut lease: Lease, now: Timestamp) -> Lease {
    let spec = lease.spec.get_or_insert_default();
    spec.holder_identity = Some(String::new());
    // The API server requires at least one.
    spec.lease_duration_seconds = Some(1);
    spec.renew_time = Some(MicroTime(now));
    lease
}
