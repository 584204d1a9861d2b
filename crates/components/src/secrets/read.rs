//! The Secrets of a namespace, read and validated while planning.

use super::key::SecretKey;
use crate::values::Fault;
use k8s_openapi::api::core::v1::Secret;
use plan::{Defaults, ObjectKey, PlanError, World};
use std::fmt;

/// A value from a Secret. `Debug` does not print it.
pub(crate) struct SecretValue(Vec<u8>);

/// The Secrets in the namespace of an object.
#[derive(Clone, Copy)]
pub(crate) struct Secrets<'w> {
    world: &'w World<'w>,
    namespace: &'w str,
}

impl<'w> Secrets<'w> {
    /// The Secrets in `namespace`, which is the namespace that `world` reads.
    pub const fn new(world: &'w World<'w>, namespace: &'w str) -> Self {
        Self { world, namespace }
    }

    /// The operator's defaults for objects.
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

    /// An error to wait for where no key of a Secret has a value: the program that created it has yet to write
    /// them.
    pub fn filled(&self, name: &str) -> Result<(), PlanError> {
        let secret = self.world.require::<Secret>(name)?;
        if secret.data.iter().flatten().all(|(_, value)| value.0.is_empty()) {
            return Err(PlanError::Unfilled([ObjectKey::of::<Secret>(self.namespace, name)].into()));
        }
        Ok(())
    }

    /// The value of a key that must exist and pass a check, so that pods can use it.
    pub fn checked(
        &self,
        key: &SecretKey<'_>,
        check: impl FnOnce(&[u8]) -> Result<(), Fault>,
    ) -> Result<SecretValue, PlanError> {
        let value = self.value(key)?;
        check(value.bytes()).map_err(|fault| self.invalid(key, fault))?;
        Ok(value)
    }

    /// The value of a key whose Secret need not exist, but must have the key if it does.
    pub fn optional_value(&self, key: &SecretKey<'_>) -> Result<Option<SecretValue>, PlanError> {
        match self.world.read::<Secret>(key.secret)? {
            Some(_) => self.value(key).map(Some),
            None => Ok(None),
        }
    }

    /// The error for a value with a fault.
    pub fn invalid(&self, key: &SecretKey<'_>, fault: Fault) -> PlanError {
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
