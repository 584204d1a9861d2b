//! Issues certificates and keeps them valid.
//!
//! A certificate is issued when there is none, when it cannot be read, when it is not what is asked for, when its
//! authority has changed, and when two thirds of its life have passed. Otherwise nothing is sent; and while nothing
//! has happened to its Secret, nothing is read either.
//!
//! Keys stay. A renewed authority has the key and the subject it had, so pods that still trust its old certificate
//! accept what is signed later, and pods that trust the new one accept what was signed before; in between, they may be
//! restarted in any order. A renewed leaf has its old key too, because Harbor verifies tokens with it that were
//! signed before.
//!
//! A Secret that somebody else made is used as it is.

use super::{
    ensure::{Applier, Child},
    generate::data,
};
use crate::{ReconcileError, cluster::Interest, report::ChangeKind};
use api::names::{CONTROLLER_LABEL, IMMUTABLE_ANNOTATION};
use k8s_openapi::{ByteString, api::core::v1::Secret, apimachinery::pkg::apis::meta::v1::OwnerReference};
use kube::{ResourceExt as _, core::DynamicObject};
use pki::{Authority, IssueError, Issued, Purpose, Request};
use plan::{
    Applied, Certificate, Desired, Digest, Issuance, ObjectKey, Observation, PlanError, Policy, Role,
    Snapshot, tags,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

impl Applier<'_> {
    /// Issues a certificate, if the one that the Secret holds does not serve.
    pub(super) async fn issue(
        &self,
        child: Child<'_>,
        seen: Option<Observation>,
    ) -> Result<Applied, ReconcileError> {
        let Child { key, kind, desired } = child;
        let Policy::Issue(issuance) = &desired.policy else { return Ok(Applied::Exists) };
        let asked = self.asked(child, issuance).await?;
        let is_remembered = matches!(
            self.state().applied.get(key),
            Some(Applied::Issued(it)) if it.asked == asked && it.due > self.now
        );
        let keys: BTreeSet<_> = authority_key(key, issuance).into_iter().chain([key.clone()]).collect();
        let found = self.cluster.fetch(self.owner, &keys, Interest::Substance).await?;
        self.state().note(&found, Interest::Substance)?;
        let stored = found.get(key).cloned().flatten();
        if let Some(stored) = &stored
            && seen.is_none()
            && !is_ours(stored, desired)
        {
            return Ok(Applied::Exists);
        }
        let request = request(issuance);
        let authority = authority(key, issuance, &found)?;
        let held = stored.as_deref().and_then(certificate_in);
        let due = match &held {
            Some(held) => request.due(held, &authority, self.now).map_err(|defect| defect.to_string()),
            None => Err("there is none".to_owned()),
        };
        let mut renewed = None;
        let (now, due, expires) = match (stored, due, seen) {
            (Some(stored), Ok(due), Some(seen)) if has_metadata(&stored, desired) => {
                (seen, due, held.as_ref().and_then(Issued::expires))
            }
            (stored, due, seen) => {
                if is_remembered && !self.state().repairs.allow(key, self.now) {
                    return Err(ReconcileError::Contended { object: key.clone() });
                }
                let issued = match (held, due) {
                    (Some(held), Ok(_)) => held,
                    (held, due) => {
                        let why = due.err().unwrap_or_default();
                        renewed = held.is_some().then(|| why.clone());
                        tracing::info!(object = %key, why, "issuing a certificate");
                        let kept = held.map(|held| held.key).filter(|key| pki::is_default(key));
                        self.sign(key, request.clone(), authority.clone(), kept).await?
                    }
                };
                let due = request.due(&issued, &authority, self.now);
                let due = due
                    .map_err(|defect| ReconcileError::Bug(format!("{key} was just issued, but {defect}")))?;
                let secret = filled(desired, stored.as_deref(), &issued)
                    .map_err(|error| ReconcileError::Bug(error.to_string()))?;
                let sent = self.write(child, &secret, seen.as_ref()).await?;
                (self.record(key, kind, &sent)?, due, issued.expires())
            }
        };
        if let Some(why) = renewed {
            self.state().changed_child(key, ChangeKind::Renewed(why));
        }
        let Observation { uid, owned_fields, .. } = now;
        Ok(Applied::Issued(Certificate { asked, uid, owned_fields, due, expires }))
    }

    /// A digest of all that a certificate is made from.
    pub(super) async fn asked(
        &self,
        Child { key, desired, .. }: Child<'_>,
        issuance: &Issuance,
    ) -> Result<Digest, ReconcileError> {
        let authority = match authority_key(key, issuance).as_ref() {
            None => None,
            Some(key) => {
                // One of ours was brought about before; one of somebody else's may not have been looked at yet.
                let known = self.state().contents.contains_key(key);
                if !known {
                    self.read(key).await?;
                }
                self.state().contents.get(key).cloned().flatten()
            }
        };
        let object = desired.object.to_json();
        let digest = object.and_then(|object| Digest::of(&(object, issuance, authority)));
        digest.map_err(|error| ReconcileError::Bug(error.to_string()))
    }

    /// Signs off the thread others wait for: a new key takes a while.
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
                Err(refused(error.to_string(), "correct the host names or the lifetime asked for"))
            }
            Ok(Err(error)) => Err(ReconcileError::Bug(format!("{key}: {error}"))),
            // See `pki::generate`.
            Err(ended) if ended.is_panic() => Err(refused(
                "no key can be made on this processor".to_owned(),
                "create this Secret yourself, or let cert-manager issue it",
            )),
            Err(_stopping) => Err(ReconcileError::Bug(format!("{key}: interrupted"))),
        }
    }
}

/// The Secret with a certificate in it, as it is sent; to be refused if it has changed since it was looked at.
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

fn authority_key(key: &ObjectKey, issuance: &Issuance) -> Option<ObjectKey> {
    match &issuance.role {
        Role::Authority { .. } | Role::Leaf { authority: None } => None,
        Role::Leaf { authority: Some(name) } => Some(ObjectKey::of::<Secret>(&key.namespace, name)),
    }
}

fn authority(key: &ObjectKey, issuance: &Issuance, found: &Snapshot) -> Result<Authority, PlanError> {
    let Some(key) = authority_key(key, issuance) else { return Ok(Authority::Itself) };
    let Some(secret) = found.get(&key).cloned().flatten() else {
        return Err(PlanError::Missing([key].into()));
    };
    let remedy = "put an authority's certificate into tls.crt and its key into tls.key";
    let Some(Issued { chain, key: private, .. }) = certificate_in(&secret) else {
        return Err(PlanError::invalid(key, "has no tls.crt or no tls.key", remedy));
    };
    Authority::from_pem(chain, private).map_err(|error| PlanError::invalid(key, error.to_string(), remedy))
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

/// The certificate in a Secret. An authority that somebody else made may be without `ca.crt`.
fn certificate_in(secret: &DynamicObject) -> Option<Issued> {
    let mut data = data(&secret.data);
    let mut text = |name: &str| String::from_utf8(data.remove(name)?).ok();
    Some(Issued {
        chain: text("tls.crt")?,
        key: text("tls.key")?,
        authority: text("ca.crt").unwrap_or_default(),
    })
}

/// Whether the Secret is one that we made: of this owner, or at least of this operator.
fn is_ours(secret: &DynamicObject, desired: &Desired) -> bool {
    if secret.annotations().get(IMMUTABLE_ANNOTATION).is_some_and(|value| value == "true") {
        return false;
    }
    secret.labels().contains_key(CONTROLLER_LABEL) || belongs(secret, desired)
}

/// Whether the Secret has the labels, annotations and owner we give it.
fn has_metadata(secret: &DynamicObject, desired: &Desired) -> bool {
    tags(desired.object.meta()).is_subset(&tags(&secret.metadata))
        && owners(desired).all(|owner| is_owned(secret, owner))
}

/// Whether the Secret has the owner we give it.
pub(super) fn belongs(secret: &DynamicObject, desired: &Desired) -> bool {
    owners(desired).any(|owner| is_owned(secret, owner))
}

fn owners(desired: &Desired) -> impl Iterator<Item = &OwnerReference> {
    desired.object.meta().owner_references.iter().flatten()
}

fn is_owned(secret: &DynamicObject, by: &OwnerReference) -> bool {
    secret.owner_references().iter().any(|owner| owner.uid == by.uid)
}
