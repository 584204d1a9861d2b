//! The leader's loop: issues and renews the certificate, and applies the configuration.
//!
//! It sends nothing while both are as they should be.

use crate::{
    certificate::{self, Current},
    configuration::{configuration, includes},
    rules::Rules,
    settings::{Certificate, Settings},
    watched::Watched,
};
use election::Leadership;
use jiff::Timestamp;
use k8s_openapi::api::{admissionregistration::v1::MutatingWebhookConfiguration, core::v1::Secret};
use kube::{
    Api, Client, Resource,
    api::{Patch, PatchParams},
};
use runtime::{Entropy, with_sources};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{fmt::Debug, sync::Arc, time::Duration};
use tokio::{sync::watch, time::sleep};

/// The field manager of what it writes.
const MANAGER: &str = "harbor-operator/webhook";
/// When it tries again after a failure.
const RETRY: Duration = Duration::from_secs(5);
/// The longest pause: a laptop may sleep, and clocks are set.
const LONGEST: Duration = Duration::from_hours(1);

/// What the leader's loop works with.
pub(crate) struct Registrar {
    /// Writes only while this operator leads.
    pub client: Client,
    pub leadership: Leadership,
    pub settings: Settings,
    pub rules: Arc<Rules>,
    pub secret: watch::Receiver<Watched<Secret>>,
    pub configuration: watch::Receiver<Watched<MutatingWebhookConfiguration>>,
    pub clock: fn() -> Timestamp,
    pub entropy: Arc<dyn Entropy>,
}

/// Why something could not be written. It never contains a key.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("cannot issue the certificate of the webhook: {0}")]
    Issue(String),
    #[error(
        "cannot apply {0}: {1}; `harbor-operator rbac --rewrite-images` prints what the operator must be allowed"
    )]
    Apply(&'static str, String),
}

impl Registrar {
    /// Works while this operator leads. Never ends.
    pub async fn run(mut self) {
        let mut changes = self.rules.changes();
        loop {
            self.leadership.acquired().await;
            changes.mark_unchanged();
            let pause = match self.ensure().await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(%error, "the webhook is not registered");
                    RETRY
                }
            };
            tokio::select! {
                () = sleep(pause.min(LONGEST)) => {}
                Ok(()) = self.secret.changed() => {}
                Ok(()) = self.configuration.changed() => {}
                Ok(()) = changes.changed() => {}
            }
        }
    }

    /// Makes the Secret and the configuration as they should be; returns when to look again at the latest.
    async fn ensure(&mut self) -> Result<Duration, Failed> {
        let secret = self.secret.borrow_and_update().clone();
        let stored = self.configuration.borrow_and_update().clone();
        if matches!(stored, Watched::Unknown) {
            return Ok(LONGEST);
        }
        let now = (self.clock)();
        let (authority, due) = match (&self.settings.certificate, &secret) {
            (_, Watched::Unknown) => return Ok(LONGEST),
            (Certificate::CertManager(_), _) => (None, None),
            (Certificate::Issued, Watched::Absent | Watched::Present(_)) => {
                let old = match &secret {
                    Watched::Present(secret) => Some(&**secret),
                    Watched::Unknown | Watched::Absent => None,
                };
                if let Some(Current { authority, due }) = certificate::current(old, &self.settings, now) {
                    (Some(authority), Some(due))
                } else {
                    self.issue(old.cloned(), now).await?;
                    // Its watch brings the new Secret.
                    return Ok(RETRY);
                }
            }
        };
        let Some(wanted) =
            self.rules.read(|sources| configuration(&self.settings, authority.as_deref(), &sources.exempt()))
        else {
            return Ok(LONGEST);
        };
        let is_current = match &stored {
            Watched::Present(stored) => includes(&json!(**stored), &wanted),
            Watched::Unknown | Watched::Absent => false,
        };
        if !is_current {
            let api = Api::<MutatingWebhookConfiguration>::all(self.client.clone());
            self.apply(&api, "the MutatingWebhookConfiguration", &wanted).await?;
        }
        let left = due.map(|due| due.duration_since(now).try_into().unwrap_or(Duration::ZERO));
        Ok(left.unwrap_or(LONGEST))
    }

    async fn issue(&self, old: Option<Secret>, now: Timestamp) -> Result<(), Failed> {
        let settings = self.settings.clone();
        let serials = [self.entropy.bytes(), self.entropy.bytes()];
        let issued =
            tokio::task::spawn_blocking(move || certificate::issue(old.as_ref(), &settings, serials, now));
        let secret = issued
            .await
            .map_err(|_| {
                Failed::Issue("this processor has no AVX2 and ADX, or no cryptographic extensions".into())
            })?
            .map_err(|error| Failed::Issue(error.to_string()))?;
        let api = Api::<Secret>::namespaced(self.client.clone(), &self.settings.namespace);
        self.apply(&api, "the Secret of the webhook", &secret).await?;
        tracing::info!(secret = self.settings.name, "issued a certificate for the webhook");
        Ok(())
    }

    async fn apply<K>(&self, api: &Api<K>, what: &'static str, object: &Value) -> Result<(), Failed>
    where
        K: Resource + Clone + Debug + DeserializeOwned,
    {
        let params = PatchParams::apply(MANAGER).force();
        let applied = api.patch(&self.settings.name, &params, &Patch::Apply(object)).await;
        applied.map(drop).map_err(|error| Failed::Apply(what, with_sources(&error)))
    }
}
