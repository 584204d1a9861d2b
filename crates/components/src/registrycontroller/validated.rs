//! Everything that the registry controller is made from, validated. It is read twice: for its own status, and
//! by the Registry whose pods it runs in.

use super::{RegistryController, without_pods};
use crate::{
    certificates::InternalTls,
    pods::{Instance, Scheme},
    secrets::{SecretKey, Secrets},
    values::not_empty,
};
use api::names::VERSION_ANNOTATION;
use api::v1beta1::{self, RegistryControllerSpec};
use plan::{All, PlanError};

/// A validated registry controller.
pub(crate) struct Validated<'a> {
    /// The object, reduced to what its container, its Service and its ConfigMap need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a RegistryControllerSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// The secret with which JobService authenticates.
    pub jobservice_secret: SecretKey<'a>,
    /// The secret with which Core authenticates. No Harbor since 2.5 accepts Core, but users may set it.
    pub core_secret: Option<SecretKey<'a>>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::RegistryController, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let (instance, tls, jobservice_secret, core_secret, ..) = (
            without_pods(&spec.component, "spec", "the Registry's spec").and_then(|()| {
                Instance::of::<RegistryController>(&owner.metadata, &spec.component, secrets.defaults())
            }),
            InternalTls::of(spec.tls.as_ref(), "spec.tls", secrets),
            jobservice_secret(spec, secrets),
            core_secret(spec, secrets),
            of_its_own_registry(owner),
        )
            .all()?;
        Ok(Self { instance, spec, tls, jobservice_secret, core_secret })
    }

    /// How it is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.tls.as_ref())
    }

    /// The version that its object names.
    pub fn version(&self) -> Option<&'a str> {
        self.instance.annotation(VERSION_ANNOTATION)
    }
}

/// Required: without it, no caller could authenticate.
fn jobservice_secret<'a>(
    spec: &'a RegistryControllerSpec,
    secrets: &Secrets<'_>,
) -> Result<SecretKey<'a>, PlanError> {
    let Some(secret) = &spec.authentication.job_service_secret_ref else {
        return Err(PlanError::invalid(
            "spec.authentication.jobServiceSecretRef",
            "is not set, so the registry controller would refuse garbage collection",
            "name the Secret whose key `secret` JobService authenticates with",
        ));
    };
    let key = SecretKey::new(secret, "secret");
    secrets.checked(&key, not_empty).map(|_| key)
}

fn core_secret<'a>(
    spec: &'a RegistryControllerSpec,
    secrets: &Secrets<'_>,
) -> Result<Option<SecretKey<'a>>, PlanError> {
    let key = spec.authentication.core_secret_ref.as_ref().map(|secret| SecretKey::new(secret, "secret"));
    key.map(|key| secrets.checked(&key, not_empty).map(|_| key)).transpose()
}

/// The operator finds the registry by the name of the object, so a reference to another one is refused.
fn of_its_own_registry(owner: &v1beta1::RegistryController) -> Result<(), PlanError> {
    let name = owner.metadata.name.as_deref().unwrap_or_default();
    if owner.spec.registry_ref == name {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.registryRef",
        format!(
            "names {}, but a registry controller runs beside the Registry of its own name",
            owner.spec.registry_ref
        ),
        format!("set it to {name}, or rename the RegistryController"),
    ))
}
