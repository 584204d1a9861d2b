//! The password of the robot account: where it comes from.

use crate::{
    management::{check_password, text},
    secrets::{SecretKey, Secrets},
};
use api::{
    names::{IMMUTABLE_ANNOTATION, ROTATE_ROBOT_ANNOTATION},
    v1beta1::{PullSecretBinding, secret_reference::SecretKeyReference},
};
use k8s_openapi::api::core::v1::Secret;
use kube::{ResourceExt as _, core::ObjectMeta};
use plan::{Desired, PlanError, Recipe, World};

const PASSWORD: &str = "password";

/// Where the password of the robot account comes from.
pub(super) enum Source<'a> {
    /// A user stores it in a Secret.
    Given(&'a SecretKeyReference),
    /// The operator generates it, and stores it in the Secret of this name before Harbor gets it.
    Generated(String),
}

/// A password, if it is stored already.
pub(super) struct Password {
    known: Option<String>,
    /// Whether Harbor has it only after the operator has sent it.
    pub is_sent: bool,
}

/// Where the password comes from. Harbor does not show it, and a new one ends the one that other clients may use: that needs
/// permission.
pub(super) fn source(owner: &PullSecretBinding) -> Result<Source<'_>, PlanError> {
    let name = owner.name_any();
    let generated = format!("{name}-pull-password");
    let is_permitted = owner.annotations().get(ROTATE_ROBOT_ANNOTATION).is_some_and(|value| value == "true");
    match &owner.spec.secret_ref {
        Some(reference) if *reference.name == generated => Err(PlanError::invalid(
            "spec.secretRef.name",
            "the operator generates passwords into a Secret of this name, and deletes it when it is given one",
            "copy the password to another Secret",
        )),
        Some(reference) => Ok(Source::Given(reference)),
        None if is_permitted => Ok(Source::Generated(generated)),
        None => Err(PlanError::invalid(
            "spec.secretRef",
            "is not set, and Harbor does not show the password of the robot account",
            format!(
                "store the password in a Secret and name that, or, if no other client uses the robot account, have the operator \
                 set a new one: kubectl -n {} annotate pullsecretbinding {name} {ROTATE_ROBOT_ANNOTATION}=true",
                owner.namespace().unwrap_or_default()
            ),
        )),
    }
}

impl Source<'_> {
    /// The password. The Secret of the operator wakes the owner when it is stored.
    pub fn read(&self, namespace: &str, world: &World<'_>) -> Result<Password, PlanError> {
        let secrets = Secrets::new(world, namespace);
        match self {
            Self::Given(reference) => {
                let key = reference.key.as_deref().unwrap_or(PASSWORD);
                let known = Some(text(&secrets, &reference.name, key)?);
                Ok(Password { known, is_sent: false })
            }
            Self::Generated(name) => {
                let key = SecretKey::new(name, PASSWORD);
                let password = secrets.optional_value(&key)?;
                // A user may have created the Secret beforehand.
                if let Some(password) = &password {
                    check_password(password.bytes()).map_err(|fault| secrets.invalid(&key, fault))?;
                }
                let known = password.map(|password| String::from_utf8_lossy(password.bytes()).into_owned());
                Ok(Password { known, is_sent: true })
            }
        }
    }
}

/// The Secret in which the operator keeps a password that it generates.
pub(super) fn generated(name: &str, namespace: &str) -> Desired {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        // It goes when a user gives the password.
        annotations: Some([(IMMUTABLE_ANNOTATION.to_owned(), "false".to_owned())].into()),
        ..ObjectMeta::default()
    };
    let secret = Secret { metadata, ..Secret::default() };
    Desired::generated(secret, [(PASSWORD.to_owned(), Recipe::Password { length: 32 })])
}

impl Password {
    /// The password.
    pub fn known(&self) -> Option<&str> {
        self.known.as_deref()
    }
}
