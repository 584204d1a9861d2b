//! The key of digests: a Secret in the operator's own namespace, made once.
//!
//! Pod templates carry a digest of the values their pods use. With a key that only the operator can read, it does not
//! help to guess those values. The operator never changes or deletes the Secret; without it, the next operator to start
//! makes another, and all pods are replaced once.

use crate::{Dice, Failure, error::Verb};
use api::names::{COMPONENT_LABEL, DESCRIPTION_ANNOTATION, NAME_LABEL};
use k8s_openapi::{
    ByteString,
    api::{core::v1::Secret, rbac::v1::PolicyRule},
};
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use plan::{DigestKey, ObjectKey};

/// The name of the Secret with the key of digests.
pub const DIGEST_KEY: &str = "harbor-operator-digest-key";

/// The entry that holds it.
const ENTRY: &str = "key";

const DESCRIPTION: &str = "Keys the digests that harbor-operator writes into pod templates, so that readers of \
                           Deployments cannot test guesses of passwords. Made once. If it is deleted, the operator \
                           makes another when it next starts, and replaces the pods of all its Harbors once.";

/// Why there is no key of digests.
#[derive(Debug, thiserror::Error)]
pub enum NoDigestKey {
    /// The API server does not give it.
    #[error("{0}; `harbor-operator rbac` prints what the operator must be allowed")]
    Refused(String),
    /// The Secret holds something else.
    #[error("{0}: its entry `key` does not hold 32 bytes; delete it, and the operator makes another")]
    Unusable(ObjectKey),
}

/// The key of the operator in this namespace, if it has one.
///
/// # Errors
/// When the Secret cannot be read, or holds something else.
pub async fn find_digest_key(client: &Client, namespace: &str) -> Result<Option<DigestKey>, NoDigestKey> {
    let found = secrets(client, namespace).get_opt(DIGEST_KEY).await;
    let found = found.map_err(|error| refused(Verb::Read, namespace, error))?;
    let parsed = |found: Secret| DigestKey::parse(&found.data?.get(ENTRY)?.0);
    match found {
        None => Ok(None),
        Some(found) => parsed(found).map(Some).ok_or_else(|| NoDigestKey::Unusable(key(namespace))),
    }
}

/// The key of the operator in this namespace, which is made if it has none. Operators that start at once get the same.
///
/// # Errors
/// When the Secret can be neither read nor created, or holds something else.
pub async fn make_digest_key(
    client: &Client,
    namespace: &str,
    dice: &dyn Dice,
) -> Result<DigestKey, NoDigestKey> {
    // An operator that loses the race reads what the winner has created. If it is deleted in between, another is created.
    for _ in 0..3 {
        if let Some(key) = find_digest_key(client, namespace).await? {
            return Ok(key);
        }
        let bytes = [dice.bytes(), dice.bytes()].concat();
        let params = PostParams { field_manager: Some("harbor-operator".into()), ..PostParams::default() };
        match secrets(client, namespace).create(&params, &secret(&bytes)).await {
            Ok(_) => tracing::info!(
                namespace,
                secret = DIGEST_KEY,
                "made a new key for the digests of what pods use; pods that exist are replaced once"
            ),
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            Err(error) => return Err(refused(Verb::Create, namespace, error)),
        }
    }
    Err(NoDigestKey::Refused(format!("{} is deleted as soon as it is created", key(namespace))))
}

/// What it takes to find or make the key, in the namespace of the operator. Creation cannot be limited to a name.
pub fn digest_key_rules() -> Vec<PolicyRule> {
    let rule = |verb: &str, names: Option<Vec<String>>| PolicyRule {
        api_groups: Some(vec![String::new()]),
        resources: Some(vec!["secrets".into()]),
        resource_names: names,
        verbs: vec![verb.into()],
        ..PolicyRule::default()
    };
    vec![rule("get", Some(vec![DIGEST_KEY.into()])), rule("create", None)]
}

fn key(namespace: &str) -> ObjectKey {
    ObjectKey::of::<Secret>(namespace, DIGEST_KEY)
}

fn secrets(client: &Client, namespace: &str) -> Api<Secret> {
    Api::namespaced(client.clone(), namespace)
}

fn secret(bytes: &[u8]) -> Secret {
    let labels = [(NAME_LABEL, "harbor-operator"), (COMPONENT_LABEL, "digest-key")];
    let annotations = [(DESCRIPTION_ANNOTATION, DESCRIPTION)];
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Secret {
        metadata: ObjectMeta {
            name: Some(DIGEST_KEY.into()),
            labels: Some(labels.into_iter().map(owned).collect()),
            annotations: Some(annotations.into_iter().map(owned).collect()),
            ..ObjectMeta::default()
        },
        type_: Some("Opaque".into()),
        immutable: Some(true),
        data: Some([(ENTRY.to_owned(), ByteString(bytes.to_vec()))].into()),
        ..Secret::default()
    }
}

fn refused(verb: Verb, namespace: &str, error: kube::Error) -> NoDigestKey {
    NoDigestKey::Refused(Failure::api(verb, &key(namespace), error).to_string())
}
