//! One key of a Secret that a spec refers to: read and judged while planning, handed to pods by reference.

use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, Secret, SecretKeySelector};
use plan::{Defaults, ObjectKey, PlanError, World};
use std::fmt;

/// Names a value without holding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecretKey<'a> {
    /// Name of the Secret.
    pub secret: &'a str,
    /// Key within it.
    pub key: &'a str,
}

/// A value taken from a Secret. Says nothing of itself when debugged.
pub(crate) struct Value(Vec<u8>);

/// What is wrong with a value, without the value.
#[derive(Debug)]
pub(crate) struct Fault {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl<'a> SecretKey<'a> {
    /// `key` of `secret`.
    pub const fn new(secret: &'a str, key: &'a str) -> Self {
        Self { secret, key }
    }

    /// An environment variable that takes its value from here when a container starts.
    pub fn variable(&self, name: &str) -> EnvVar {
        let selector = SecretKeySelector {
            name: self.secret.into(),
            key: self.key.into(),
            ..SecretKeySelector::default()
        };
        EnvVar {
            name: name.into(),
            value: None,
            value_from: Some(EnvVarSource { secret_key_ref: Some(selector), ..EnvVarSource::default() }),
        }
    }
}

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
    pub fn value(&self, key: &SecretKey<'_>) -> Result<Value, PlanError> {
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
    ) -> Result<Value, PlanError> {
        let value = self.value(key)?;
        judge(value.bytes()).map_err(|fault| self.refused(key, fault))?;
        Ok(value)
    }

    /// The value of a key whose Secret need not exist, but must have the key if it does.
    pub fn found(&self, key: &SecretKey<'_>) -> Result<Option<Value>, PlanError> {
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

fn value(secret: Secret, key: &str) -> Option<Value> {
    secret.data?.remove(key).map(|bytes| Value(bytes.0))
}

impl Value {
    /// The value itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Value(…)")
    }
}

impl Fault {
    /// A fault in these words.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }

    /// The error that a field, or an object, has this fault.
    pub fn at(self, subject: impl fmt::Display) -> PlanError {
        PlanError::invalid(subject, self.problem, self.remedy)
    }
}

/// Refuses an empty value.
pub(crate) fn not_empty(value: &[u8]) -> Result<(), Fault> {
    if value.is_empty() { Err(Fault::new("is empty", "give it a value")) } else { Ok(()) }
}
