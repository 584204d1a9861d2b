//! One key of a Secret that a spec refers to.

use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, SecretKeySelector};

/// The name of a value, without the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecretKey<'a> {
    /// Name of the Secret.
    pub secret: &'a str,
    /// Key within it.
    pub key: &'a str,
}

impl<'a> SecretKey<'a> {
    /// `key` of `secret`.
    pub const fn new(secret: &'a str, key: &'a str) -> Self {
        Self { secret, key }
    }

    /// An environment variable with this value. The kubelet reads it when the container starts.
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
