//! The Secrets of a namespace, read and validated while planning.

use super::key::SecretKey;
use crate::values::Fault;
use k8s_openapi::api::core::v1::Secret;
use plan::{Defaults, ObjectKey, PlanError, World};
use std::fmt;

/// A value taken from a Secret. Says nothing of itself when debugged.
pub(crate) struct SecretValue(Vec<u8>);

/// The Secrets beside an object.
#[derive(Clone, Copy)]
pub(crate) struct Secrets<'w> {
    world: &'w World<'w>,
    namespace: &'w str,
}

impl<'w> Secrets<'w> {
    /// Those in `namespace`, which is the namespace `world` is about.
    pub const fn new(world: &'w World<'w>, namespace: &'w str) -> Self {
        Self { world, namespace }
    }

    /// What is wanted of objects that say nothing.
    pub fn defaults(&self) -> &'w Defaults {
        self.world.defaults()
    }

    /// The value of a key that must exist.
    pub fn value(&self, key: &SecretKey<'_>) -> Result<SecretValue, PlanError> {
        let secret = self.world.require::<Secret>(key.secret)?;
        value(secret, key.key)
            .ok_or_else(|| PlanError::invalid(self.subject(key), "does not exist", "add it to the Secret"))
    }

    /// Whether a Secret that must exist has a key.
    pub fn has(&self, key: &SecretKey<'_>) -> Result<bool, PlanError> {
        Ok(value(self.world.require::<Secret>(key.secret)?, key.key).is_some())
    }

    /// The keys of a Secret that must exist.
    pub fn keys(&self, secret: &str) -> Result<Vec<String>, PlanError> {
        let secret = self.world.require::<Secret>(secret)?;
        Ok(secret.data.unwrap_or_default().into_keys().collect())
    }

    /// Waits for a Secret in which no key has a value: the program that made it is about to fill it.
    pub fn filled(&self, name: &str) -> Result<(), PlanError> {
        let secret = self.world.require::<Secret>(name)?;
        if secret.data.iter().flatten().all(|(_, value)| value.0.is_empty()) {
            return Err(PlanError::Unfilled([ObjectKey::of::<Secret>(self.namespace, name)].into()));
        }
        Ok(())
    }

    /// The value of a key that must exist, be sound and thus be fit to be handed to a pod.
    pub fn sound(
        &self,
        key: &SecretKey<'_>,
        judge: impl FnOnce(&[u8]) -> Result<(), Fault>,
    ) -> Result<SecretValue, PlanError> {
        let value = self.value(key)?;
        judge(value.bytes()).map_err(|fault| self.refused(key, fault))?;
        Ok(value)
    }

    /// The value of a key whose Secret need not exist, but must have the key if it does.
    pub fn found(&self, key: &SecretKey<'_>) -> Result<Option<SecretValue>, PlanError> {
        match self.world.read::<Secret>(key.secret)? {
            Some(_) => self.value(key).map(Some),
            None => Ok(None),
        }
    }

    /// The error that a value is at fault.
    pub fn refused(&self, key: &SecretKey<'_>, fault: Fault) -> PlanError {
        fault.at(self.subject(key))
    }

    fn subject(&self, key: &SecretKey<'_>) -> String {
        format!("{}, key `{}`", ObjectKey::of::<Secret>(self.namespace, key.secret), key.key)
    }
}

fn value(secret: Secret, key: &str) -> Option<SecretValue> {
    secret.data?.remove(key).map(|bytes| SecretValue(bytes.0))
}

impl SecretValue {
    /// The value itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Value(…)")
    }
}
