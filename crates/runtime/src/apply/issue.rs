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
    /// Issues a certificate, unless the certificate in the Secret is still good.
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
        let found = self.cluster.fetch(self.owner, &keys, Interest::Spec).await?;
        self.state().note(&found, Interest::Spec)?;
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

    /// A digest of everything that a certificate depends on.
    pub(super) async fn asked(
        &self,
        Child { key, desired, .. }: Child<'_>,
        issuance: &Issuance,
    ) -> Result<Digest, ReconcileError> {
        let authority = match authority_key(key, issuance).as_ref() {
            None => None,
            Some(key) => {
                // An authority of the operator was ensured before. One of a user may not have been read yet.
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

/// The certificate in a Secret. An authority that a user created may have no `ca.crt`.
fn certificate_in(secret: &DynamicObject) -> Option<Issued> {
    let mut data = data(&secret.data);
    let mut text = |name: &str| String::from_utf8(data.remove(name)?).ok();
    Some(Issued {
        chain: text("tls.crt")?,
        key: text("tls.key")?,
        authority: text("ca.crt").unwrap_or_default(),
    })
}

/// Whether the operator created the Secret, for this owner or for another one.
fn is_ours(secret: &DynamicObject, desired: &Desired) -> bool {
    if secret.annotations().get(IMMUTABLE_ANNOTATION).is_some_and(|value| value == "true") {
        return false;
    }
    secret.labels().contains_key(CONTROLLER_LABEL) || belongs(secret, desired)
}

/// Whether the Secret has the desired labels, annotations and owner.
fn has_metadata(secret: &DynamicObject, desired: &Desired) -> bool {
    tags(desired.object.meta()).is_subset(&tags(&secret.metadata))
        && owners(desired).all(|owner| is_owned(secret, owner))
}

/// Whether the Secret has the desired owner.
pub(super) fn belongs(secret: &DynamicObject, desired: &Desired) -> bool {
    owners(desired).any(|owner| is_owned(secret, owner))
}

fn owners(desired: &Desired) -> impl Iterator<Item = &OwnerReference> {
    desired.object.meta().owner_references.iter().flatten()
}

fn is_owned(secret: &DynamicObject, by: &OwnerReference) -> bool {
    secret.owner_references().iter().any(|owner| owner.uid == by.uid)
}
