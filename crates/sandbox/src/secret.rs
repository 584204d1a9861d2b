//! Generated passwords and their Secrets, which are created once and never changed.

use crate::{
    kind::Kind,
    world::World,
    write::{ReconcileError, owned_by},
};
use k8s_openapi::ByteString;
use kube::{ResourceExt as _, core::DynamicObject};
use rand::{RngExt as _, distr::Alphanumeric};
use serde_json::{Map, Value, json};

/// A random password.
pub(crate) fn password() -> String {
    rand::rng().sample_iter(Alphanumeric).take(32).map(char::from).collect()
}

/// A value in the encoding of a Secret.
pub(crate) fn encoded(content: impl Into<Vec<u8>>) -> Value {
    // Bytes always have a base64 form.
    serde_json::to_value(ByteString(content.into())).unwrap_or_default()
}

/// The content of one key of a Secret.
pub(crate) fn decoded(secret: &DynamicObject, key: &str) -> Option<Vec<u8>> {
    let bytes: ByteString = serde_json::from_value(secret.data["data"].get(key)?.clone()).ok()?;
    Some(bytes.0)
}

/// Creates a Secret of an owner with the values of `content`, unless it exists.
pub(crate) async fn create(
    world: &World,
    kind: Kind,
    owner: &DynamicObject,
    name: &str,
    secret_type: &str,
    content: impl FnOnce() -> Vec<(&'static str, String)> + Send,
) -> Result<(), ReconcileError> {
    let namespace = owner.namespace().unwrap_or_default();
    if world.find(Kind::Secret, &namespace, name).is_some() {
        return Ok(());
    }
    let data: Map<String, Value> =
        content().into_iter().map(|(key, value)| (key.to_owned(), encoded(value))).collect();
    let secret = json!({
        "metadata": {"name": name, "namespace": namespace, "ownerReferences": owned_by(kind, owner)},
        "type": secret_type,
        "data": data,
    });
    world.create(Kind::Secret, secret).await
}
