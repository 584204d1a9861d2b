//! Issues and renews certificates.
//!
//! The operator issues a certificate when there is none, when it cannot be parsed, when it does not match the
//! request, when its authority has changed, and when two thirds of its lifetime have passed. Otherwise it sends
//! nothing, and while the Secret does not change, it reads nothing either.
//!
//! Private keys stay. A renewed authority keeps its key and its subject, so pods that trust the old certificate
//! accept later leaf certificates, pods that trust the new one accept earlier leaf certificates, and pods may restart
//! in any order. A renewed leaf keeps its key, too, because Harbor uses it to verify tokens that were signed before.
//!
//! A Secret that a user or another program created is used unchanged.

use super::{
    ensure::{Applier, Child},
    perform::Reading,
};
use crate::{ReconcileError, cluster::Interest, report::ChangeKind};
use jiff::Timestamp;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::DynamicObject;
use pki::{Authority, IssueError, Issued, Purpose, Request};
use plan::{
    Applied, Apply, Certificate, Desired, Digest, Issuance, ObjectKey, Observation, PlanError, Role, Snapshot,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a certificate depends on, and the one that a Secret holds.
pub(super) struct Examined {
    /// Digest of what the certificate depends on.
    asked: Digest,
    request: Request,
    authority: Authority,
    held: Option<Issued>,
    /// When the certificate in the Secret is due for renewal, or why it cannot be used.
    due: Result<Timestamp, String>,
}

impl Examined {
    /// The certificate in a Secret that was observed like this, if it can be used.
    pub(super) fn certificate(&self, seen: Option<&Observation>) -> Option<Applied> {
        let (held, due) = (self.held.as_ref()?, *self.due.as_ref().ok()?);
        Some(self.issued(seen?, due, held.expires()))
    }

    fn issued(&self, now: &Observation, due: Timestamp, expires: Option<Timestamp>) -> Applied {
        let Observation { uid, owned_fields, .. } = now;
        let (asked, uid, owned_fields) = (self.asked, uid.clone(), *owned_fields);
        Applied::Issued(Certificate { asked, uid, owned_fields, due, expires })
    }

    /// Whether the operator has written a certificate before that it could still use: another program has changed it.
    pub(super) fn is_remembered(&self, applied: Option<&Applied>, now: Timestamp) -> bool {
        matches!(applied, Some(Applied::Issued(it)) if it.asked == self.asked && it.due > now)
    }
}

impl Applier<'_> {
    /// Reads what a certificate depends on, and examines the one in the Secret.
    pub(super) async fn examine(
        &self,
        Child { key, .. }: Child<'_>,
        issuance: &Issuance,
        asked: Digest,
        stored: Option<&DynamicObject>,
    ) -> Result<Examined, ReconcileError> {
        let keys = authority_keys(key, issuance).into_iter().collect();
        let found = self.cluster.fetch(self.owner, &keys, Interest::Spec).await?;
        self.state().note(&found, Interest::Spec)?;
        let authority = authority(key, issuance, &found)?;
        let (request, held) = (request(issuance), stored.and_then(certificate_in));
        let due = match &held {
            Some(held) => request.due(held, &authority, self.now).map_err(|defect| defect.to_string()),
            None => Err("there is none".to_owned()),
        };
        Ok(Examined { asked, request, authority, held, due })
    }

    /// Applies a Secret with its certificate, after signing a new one unless the one that it holds can be used. `None` if
    /// another program created the Secret first.
    pub(super) async fn certify(
        &self,
        child: Child<'_>,
        examined: &Examined,
        how: &Apply,
        reading: &Reading,
    ) -> Result<Option<Applied>, ReconcileError> {
        let Child { key, kind, desired } = child;
        let Examined { request, authority, held, due, .. } = examined;
        let (issued, renewed) = match (held, due) {
            (Some(held), Ok(_)) => (held.clone(), None),
            (held, due) => {
                let why = due.as_ref().err().cloned().unwrap_or_default();
                tracing::info!(object = %key, why, "issuing a certificate");
                let kept = held.as_ref().map(|held| held.key.clone()).filter(|key| pki::is_default(key));
                let issued = self.sign(key, request.clone(), authority.clone(), kept).await?;
                (issued, held.is_some().then_some(why))
            }
        };
        let due = request.due(&issued, authority, self.now);
        let due =
            due.map_err(|defect| ReconcileError::Bug(format!("{key} was just issued, but {defect}")))?;
        let secret = filled(desired, reading.object(), &issued)
            .map_err(|error| ReconcileError::Bug(error.to_string()))?;
        let Some(sent) = self.send(child, &secret, how, reading).await? else { return Ok(None) };
        let now = self.record(key, kind, &sent)?;
        if let Some(why) = renewed {
            self.state().changed_child(key, ChangeKind::Renewed(why));
        }
        Ok(Some(examined.issued(&now, due, issued.expires())))
    }

    /// A digest of everything that a certificate depends on.
    pub(super) async fn asked(
        &self,
        Child { key, desired, .. }: Child<'_>,
        issuance: &Issuance,
    ) -> Result<Digest, ReconcileError> {
        let mut authorities = Vec::new();
        for key in authority_keys(key, issuance) {
            // An authority of the operator was ensured before. One of a user may not have been read yet.
            let known = self.state().contents.contains_key(&key);
            if !known {
                self.read(&key).await?;
            }
            authorities.push(self.state().contents.get(&key).cloned().flatten());
        }
        let object = desired.object.to_json();
        let digest = object.and_then(|object| Digest::of(&(object, issuance, authorities)));
        digest.map_err(|error| ReconcileError::Bug(error.to_string()))
    }

    /// Signs on a blocking thread, because generating a key takes a while.
    async fn sign(
        &self,
        key: &ObjectKey,
        request: Request,
        authority: Authority,
        kept: Option<String>,
    ) -> Result<Issued, ReconcileError> {
        let (entropy, now) = (Arc::clone(&self.cluster.entropy), self.now);
        let signed = tokio::task::spawn_blocking(move || {
            let private = match kept {
                Some(private) => private,
                None => entropy.rsa_key()?,
            };
            request.issue(&authority, private, entropy.bytes(), now)
        });
        let refused = |problem: String, remedy: &str| PlanError::invalid(key, problem, remedy).into();
        match signed.await {
            Ok(Ok(issued)) => Ok(issued),
            Ok(Err(error @ (IssueError::Certificate(_) | IssueError::Time))) => {
                Err(refused(error.to_string(), "correct the host names or the lifetime"))
            }
            Ok(Err(error)) => Err(ReconcileError::Bug(format!("{key}: {error}"))),
            // See `pki::generate`.
            Err(ended) if ended.is_panic() => Err(refused(
                "no key can be generated on this processor".to_owned(),
                "create this Secret yourself, or let cert-manager issue it",
            )),
            Err(_stopping) => Err(ReconcileError::Bug(format!("{key}: interrupted"))),
        }
    }
}

/// The Secret with the certificate, as the operator sends it. It has the resource version that was read, so that the
/// API server refuses it if the Secret has changed since.
fn filled(desired: &Desired, stored: Option<&DynamicObject>, issued: &Issued) -> serde_json::Result<Value> {
    let mut object = desired.object.to_json()?;
    for (name, text) in [("tls.crt", &issued.chain), ("tls.key", &issued.key), ("ca.crt", &issued.authority)]
    {
        object["data"][name] = json!(ByteString(text.clone().into_bytes()));
    }
    if let Some(version) = stored.and_then(|stored| stored.metadata.resource_version.as_ref()) {
        object["metadata"]["resourceVersion"] = json!(version);
    }
    Ok(object)
}

/// The Secrets of the authorities that a certificate depends on: the one that signs it first.
fn authority_keys(key: &ObjectKey, issuance: &Issuance) -> Vec<ObjectKey> {
    let names = match &issuance.role {
        Role::Authority { .. } => [None, None],
        Role::Leaf { authority, also_trusted } => [authority.as_ref(), also_trusted.as_ref()],
    };
    names.into_iter().flatten().map(|name| ObjectKey::of::<Secret>(&key.namespace, name)).collect()
}

fn authority(key: &ObjectKey, issuance: &Issuance, found: &Snapshot) -> Result<Authority, PlanError> {
    let mut authorities = authority_keys(key, issuance).into_iter().map(|key| authority_in(key, found));
    let Some(signer) = authorities.next().transpose()? else { return Ok(Authority::Itself) };
    let Some((other, beside)) = authorities.next().transpose()? else { return Ok(signer.1) };
    signer.1.beside(&beside).map_err(|error| unusable(other, &error))
}

/// The authority in a Secret.
fn authority_in(key: ObjectKey, found: &Snapshot) -> Result<(ObjectKey, Authority), PlanError> {
    let Some(secret) = found.get(&key).cloned().flatten() else {
        return Err(PlanError::Missing([key].into()));
    };
    let Some(Issued { chain, key: private, .. }) = certificate_in(&secret) else {
        return Err(unusable(key, &"has no tls.crt or no tls.key"));
    };
    match Authority::from_pem(chain, private) {
        Ok(authority) => Ok((key, authority)),
        Err(error) => Err(unusable(key, &error)),
    }
}

fn unusable(key: ObjectKey, problem: &dyn std::fmt::Display) -> PlanError {
    let remedy = "put an authority's certificate into tls.crt and its key into tls.key";
    PlanError::invalid(key, problem.to_string(), remedy)
}

fn request(issuance: &Issuance) -> Request {
    Request {
        subject: issuance.subject.clone(),
        dns_names: issuance.dns_names.clone(),
        ip_addresses: issuance.ip_addresses.clone(),
        purpose: match &issuance.role {
            Role::Authority { only_for } => Purpose::Authority { only_for: only_for.clone() },
            Role::Leaf { .. } => Purpose::Leaf,
        },
        days: issuance.days,
    }
}

/// The certificate in a Secret. An authority that a user created may have no `ca.crt`.
pub(crate) fn certificate_in(secret: &DynamicObject) -> Option<Issued> {
    let mut data = plan::secret_data(&secret.data);
    let mut text = |name: &str| String::from_utf8(data.remove(name)?).ok();
    Some(Issued {
        chain: text("tls.crt")?,
        key: text("tls.key")?,
        authority: text("ca.crt").unwrap_or_default(),
    })
}
