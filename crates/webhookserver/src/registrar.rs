//! Keeps one object that tells the API server about a webhook.
//!
//! It sends nothing while the object is as it should be.

use crate::{
    failed::{Failed, RETRY},
    settings::Settings,
    trust::Trust,
    watched::Watched,
};
use election::Leadership;
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{fmt::Debug, time::Duration};
use tokio::{sync::watch, time::sleep};

/// The field manager of what it writes.
pub(crate) const MANAGER: &str = "harbor-operator/webhook";
/// The longest pause: a laptop may sleep, and clocks are set.
pub(crate) const LONGEST: Duration = Duration::from_hours(1);

/// What keeps one object.
pub(crate) struct Registrar<K> {
    /// Writes only while this operator leads.
    pub api: Api<K>,
    pub leadership: Leadership,
    pub settings: Settings,
    /// The name of the object.
    pub name: String,
    /// The object itself.
    pub stored: watch::Receiver<Watched<K>>,
    pub trust: watch::Receiver<Option<Trust>>,
}

impl<K> Registrar<K>
where
    K: Clone + Debug + DeserializeOwned,
{
    /// Sends the `patches` that the object needs, whenever it, the trust or `changes` change, while this operator leads.
    /// Never ends.
    pub async fn run<S>(
        mut self,
        mut changes: watch::Receiver<S>,
        patches: impl Fn(&Trust, Option<&K>) -> Vec<Patch<Value>>,
    ) {
        loop {
            self.leadership.acquired().await;
            changes.mark_unchanged();
            let stored = self.stored.borrow_and_update().clone();
            let trust = self.trust.borrow_and_update().clone();
            let needed = match (&trust, &stored) {
                (None, _) | (_, Watched::Unknown) => Vec::new(),
                (Some(trust), Watched::Absent) => patches(trust, None),
                (Some(trust), Watched::Present(stored)) => patches(trust, Some(stored)),
            };
            let pause = match self.send(&needed).await {
                Ok(()) => LONGEST,
                Err(error) => {
                    tracing::warn!(%error, "the webhook is not registered");
                    RETRY
                }
            };
            tokio::select! {
                () = sleep(pause) => {}
                Ok(()) = self.stored.changed() => {}
                Ok(()) = self.trust.changed() => {}
                Ok(()) = changes.changed() => {}
            }
        }
    }

    /// Sends patches, one after the other.
    async fn send(&self, patches: &[Patch<Value>]) -> Result<(), Failed> {
        for patch in patches {
            let params =
                PatchParams { force: matches!(patch, Patch::Apply(_)), ..PatchParams::apply(MANAGER) };
            let sent = self.api.patch(&self.name, &params, patch).await;
            sent.map_err(|error| Failed::send(&self.settings, self.name.clone(), &error))?;
        }
        Ok(())
    }
}
