//! Certificate: issued into a Secret, renewed in time, and reissued when its spec changes.

use super::{
    IssueError, KeySource,
    certificate_spec::{issued_from, key, lifetime, params, renew_before},
    issuer,
};
use crate::{
    condition::{Condition, holds, with, written},
    kind::Kind,
    reconcile::Next,
    secret::{decoded, encoded},
    workloads::template::hash,
    world::{Seen, World},
    write::ReconcileError,
};
use api::names::{
    ALT_NAMES_ANNOTATION, CERT_MANAGER_LABEL, CERTIFICATE_NAME_ANNOTATION, COMMON_NAME_ANNOTATION,
    IP_SANS_ANNOTATION, ISSUER_GROUP_ANNOTATION, ISSUER_KIND_ANNOTATION, ISSUER_NAME_ANNOTATION,
    SANDBOX_ISSUED_FROM_ANNOTATION as ISSUED_FROM, SANDBOX_REVISION_ANNOTATION as REVISION,
    URI_SANS_ANNOTATION,
};
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use pki::{Authority, Issued, key_pair};
use serde_json::{Map, Value, json};
use std::time::Duration;
use x509_parser::{parse_x509_certificate, pem::parse_x509_pem};

pub(crate) async fn reconcile(world: &World, certificate: &DynamicObject) -> Result<Next, ReconcileError> {
    let annotated = world.annotated(certificate);
    if let Some(message) = annotated.failure {
        not_ready(world, certificate, "Failed", &message).await?;
        return Ok(Next::Change);
    }
    let (spec, now) = (&certificate.data["spec"], world.now());
    let namespace = certificate.namespace().unwrap_or_default();
    let name = spec["secretName"].as_str().unwrap_or_default();
    let secret = world.find(Kind::Secret, &namespace, name);
    let wanted = hash(&issued_from(certificate));
    if let Some(valid) = secret.as_ref().and_then(|secret| Validity::of(secret, spec, &wanted, now)) {
        world.set_status(Kind::Certificate, certificate, valid.status(certificate, now)).await?;
        return Ok(Next::After(valid.renewed_in(now)));
    }

    let authority = match signer(world, certificate) {
        Ok(authority) => authority,
        Err(waiting) => {
            not_ready(world, certificate, "DoesNotExist", &waiting).await?;
            return Ok(Next::Change);
        }
    };
    if let Some(left) = world.remaining(certificate, &format!("issue {wanted}"), annotated.delay) {
        not_ready(world, certificate, "DoesNotExist", "Issuing certificate as Secret does not exist").await?;
        return Ok(Next::After(left));
    }
    let kept = secret.as_ref().and_then(|secret| kept_key(spec, secret));
    let ingredients = spec.clone();
    // One at a time: with fifty keys in parallel, all would be ready at the end, in random order.
    let turn = world.keys.lock().await;
    let generate = *turn;
    let issued =
        tokio::task::spawn_blocking(move || issue(&ingredients, &authority, kept, generate, now)).await?;
    match issued {
        Ok(issued) => world.apply(Kind::Secret, tls_secret(certificate, secret, &wanted, issued)).await?,
        Err(error) => not_ready(world, certificate, "Failed", &error.to_string()).await?,
    }
    Ok(Next::Change)
}

/// The authority that signs, or why it cannot sign yet.
fn signer(world: &World, certificate: &DynamicObject) -> Result<Authority, String> {
    let reference = &certificate.data["spec"]["issuerRef"];
    let name = reference["name"].as_str().unwrap_or_default();
    let own = certificate.namespace().unwrap_or_default();
    let (kind, namespace) = match reference["kind"].as_str() {
        Some("ClusterIssuer") => (Kind::ClusterIssuer, ""),
        _ => (Kind::Issuer, own.as_str()),
    };
    let found = world.find(kind, namespace, name);
    let found = found.ok_or_else(|| format!("Referenced {kind:?} not found: {name:?}"))?;
    if !holds(&found.data["status"]["conditions"], "Ready") {
        return Err(format!("Referenced {kind:?} {name:?} is not ready"));
    }
    issuer::authority(world, kind, &found).map_err(|(_, message)| message)
}

fn issue(
    spec: &Value,
    authority: &Authority,
    kept: Option<String>,
    generate: KeySource,
    now: Timestamp,
) -> Result<Issued, IssueError> {
    let private = match kept {
        Some(key) => key,
        None => generate(key(spec)?)?,
    };
    Ok(authority.sign(params(spec, now)?, private)?)
}

/// The key of the last certificate, if the rotation policy keeps it.
fn kept_key(spec: &Value, secret: &DynamicObject) -> Option<String> {
    let key = String::from_utf8(decoded(secret, "tls.key")?).ok()?;
    (spec["privateKey"]["rotationPolicy"] == "Never" && key_pair(&key).is_ok()).then_some(key)
}

fn tls_secret(certificate: &DynamicObject, before: Option<Seen>, issued_from: &str, issued: Issued) -> Value {
    let spec = &certificate.data["spec"];
    let joined = |field: &str| {
        let items = spec[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        items.collect::<Vec<_>>().join(",")
    };
    let signer = |field: &str, default: &str| spec["issuerRef"][field].as_str().unwrap_or(default).to_owned();
    let revision = before.as_ref().and_then(|secret| secret.annotations().get(REVISION)?.parse().ok());
    let mut annotations = object(&spec["secretTemplate"]["annotations"]);
    for (name, value) in [
        (CERTIFICATE_NAME_ANNOTATION, certificate.name_any()),
        (ISSUER_NAME_ANNOTATION, signer("name", "")),
        (ISSUER_KIND_ANNOTATION, signer("kind", "Issuer")),
        (ISSUER_GROUP_ANNOTATION, signer("group", "cert-manager.io")),
        (COMMON_NAME_ANNOTATION, spec["commonName"].as_str().unwrap_or_default().to_owned()),
        (ALT_NAMES_ANNOTATION, joined("dnsNames")),
        (IP_SANS_ANNOTATION, joined("ipAddresses")),
        (URI_SANS_ANNOTATION, joined("uris")),
        (ISSUED_FROM, issued_from.to_owned()),
        (REVISION, (revision.unwrap_or(0_u64) + 1).to_string()),
    ] {
        annotations.insert(name.to_owned(), value.into());
    }
    let mut labels = object(&spec["secretTemplate"]["labels"]);
    labels.insert(CERT_MANAGER_LABEL.to_owned(), "true".into());
    // The type of a Secret that exists cannot be changed.
    let kept_type = before.map(|secret| secret.data["type"].clone()).filter(Value::is_string);
    json!({
        "metadata": {
            "name": spec["secretName"],
            "namespace": certificate.namespace(),
            "labels": labels,
            "annotations": annotations,
        },
        "type": kept_type.unwrap_or_else(|| "kubernetes.io/tls".into()),
        "data": {
            "tls.crt": encoded(issued.chain),
            "tls.key": encoded(issued.key),
            "ca.crt": encoded(issued.authority),
        },
    })
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

async fn not_ready(
    world: &World,
    certificate: &DynamicObject,
    reason: &str,
    message: &str,
) -> Result<(), ReconcileError> {
    let before = &certificate.data["status"];
    let generation = certificate.metadata.generation.unwrap_or_default();
    let conditions: Vec<Value> =
        [Condition::new("Ready", false, reason, message), Condition::new("Issuing", true, reason, message)]
            .map(|condition| {
                with(condition.after(&before["conditions"], world.now()), "observedGeneration", generation)
            })
            .into();
    let status = with(before.clone(), "conditions", conditions.clone());
    let status = if status.is_object() { status } else { json!({"conditions": conditions}) };
    world.set_status(Kind::Certificate, certificate, status).await
}

/// The validity of a certificate that matches its spec.
struct Validity {
    begin: Timestamp,
    end: Timestamp,
    renewal: Timestamp,
    revision: u64,
}

impl Validity {
    fn of(secret: &DynamicObject, spec: &Value, wanted: &str, now: Timestamp) -> Option<Self> {
        if secret.annotations().get(ISSUED_FROM)? != wanted {
            return None;
        }
        let (_, pem) = parse_x509_pem(&decoded(secret, "tls.crt")?).ok()?;
        let (_, certificate) = parse_x509_certificate(&pem.contents).ok()?;
        key_pair(&String::from_utf8(decoded(secret, "tls.key")?).ok()?).ok()?;
        decoded(secret, "ca.crt")?;
        let time = |second| Timestamp::from_second(second).ok();
        let (begin, end) = (
            time(certificate.validity().not_before.timestamp())?,
            time(certificate.validity().not_after.timestamp())?,
        );
        let renewal = end.checked_sub(renew_before(spec, lifetime(spec))).ok()?;
        let revision = secret.annotations().get(REVISION)?.parse().ok()?;
        (renewal > now).then_some(Self { begin, end, renewal, revision })
    }

    fn renewed_in(&self, now: Timestamp) -> Duration {
        self.renewal.duration_since(now).try_into().unwrap_or_default()
    }

    fn status(&self, certificate: &DynamicObject, now: Timestamp) -> Value {
        let before = &certificate.data["status"]["conditions"];
        let message = "Certificate is up to date and has not expired";
        let ready = Condition::new("Ready", true, "Ready", message).after(before, now);
        let generation = certificate.metadata.generation.unwrap_or_default();
        json!({
            "conditions": [with(ready, "observedGeneration", generation)],
            "notBefore": written(self.begin),
            "notAfter": written(self.end),
            "renewalTime": written(self.renewal),
            "revision": self.revision,
        })
    }
}
