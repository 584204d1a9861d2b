//! The certificate of the server: issues it, renews it, and reports what the API server must trust.

use crate::{
    certificate::{self, Current},
    failed::{Failed, RETRY},
    registrar::{LONGEST, MANAGER},
    settings::{Certificate, Settings},
    trust::Trust,
    watched::Watched,
};
use election::Leadership;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use runtime::Entropy;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::sleep};

/// What issues the certificate.
pub(crate) struct Issuer {
    /// Writes only while this operator leads.
    pub client: Client,
    pub leadership: Leadership,
    pub settings: Settings,
    pub secret: watch::Receiver<Watched<Secret>>,
    pub trust: watch::Sender<Option<Trust>>,
    pub clock: fn() -> Timestamp,
    pub entropy: Arc<dyn Entropy>,
}

impl Issuer {
    /// Works while this operator leads. Never ends.
    pub async fn run(mut self) {
        loop {
            self.leadership.acquired().await;
            let pause = match self.ensure().await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(%error, "the webhook has no current certificate");
                    RETRY
                }
            };
            tokio::select! {
                () = sleep(pause.min(LONGEST)) => {}
                Ok(()) = self.secret.changed() => {}
            }
        }
    }

    /// Makes the Secret as it should be; returns when to look again at the latest.
    async fn ensure(&mut self) -> Result<Duration, Failed> {
        let secret = self.secret.borrow_and_update().clone();
        let old = match (&self.settings.certificate, &secret) {
            (_, Watched::Unknown) => return Ok(LONGEST),
            (Certificate::CertManager(_), _) => {
                self.report(Trust::Injected);
                return Ok(LONGEST);
            }
            (Certificate::Issued, Watched::Absent) => None,
            (Certificate::Issued, Watched::Present(secret)) => Some(&**secret),
        };
        let now = (self.clock)();
        if let Some(Current { authority, due }) = certificate::current(old, &self.settings, now) {
            self.report(Trust::Authority(authority));
            return Ok(due.duration_since(now).try_into().unwrap_or(Duration::ZERO));
        }
        self.issue(old.cloned(), now).await?;
        // Its watch brings the new Secret.
        Ok(RETRY)
    }

    /// Wakes the registrars if this is new.
    fn report(&self, trust: Trust) {
        self.trust.send_if_modified(|known| {
            let is_new = known.as_ref() != Some(&trust);
            *known = Some(trust);
            is_new
        });
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
        let name = &self.settings.name;
        let api = Api::<Secret>::namespaced(self.client.clone(), &self.settings.namespace);
        let applied = api.patch(name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&secret)).await;
        applied.map_err(|error| Failed::send(&self.settings, format!("Secret {name}"), &error))?;
        tracing::info!(secret = name, "issued a certificate for the webhook");
        Ok(())
    }
}
