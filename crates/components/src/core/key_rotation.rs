//! The rotation of the key that encrypts credentials in the database.
//!
//! Harbor cannot do it: Core has one key, and does not notice a wrong one. So a pod with the operator's own image encrypts
//! every credential with the new key, while no Core runs. First, while Core still serves, the pod checks that every
//! credential can be decrypted. Then the operator stops Core, and the record allows the pod to go on. From there on Core
//! stays stopped until the pod has succeeded, whatever a user changes: nothing else says which key the database has.
//!
//! The pod changes all credentials or none, and nothing if that was done before. So a pod that is gone is created again.

use super::{
    deployment, environment,
    gated_pod::{self, Image, Step, Task, digest, is_prepared},
    keys::ENCRYPTION_KEY,
    record::{NEXT_KEY, Rekeying},
    repair,
    validated::Validated,
};
use crate::pods::{file_mount, is_stopped, secret_volume};
use api::names::ROTATE_ENCRYPTION_KEY_ANNOTATION;
use k8s_openapi::api::core::v1::{Container, Pod, Volume};
use plan::{Desired, PlanError, World};

/// A rotation that a user requests, or that has begun.
pub(super) struct KeyRotation<'a> {
    /// The Secret with the new key.
    to: &'a str,
    /// Whether the record says that it has begun.
    begun: bool,
    phase: Phase,
    pod: Pod,
}

/// How far a rotation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// There is a pod that was made from other settings. It is deleted first.
    Replacing,
    /// The pod does not exist, or checks the credentials, or has found one that cannot be decrypted.
    Preparing,
    /// The pod has checked the credentials, and pods of Core still run.
    Stopping,
    /// The pod may encrypt the credentials.
    Allowed,
    /// The pod has succeeded.
    Ended,
}

impl<'a> KeyRotation<'a> {
    /// The rotation, if there is one. The start of Core with the new key is not part of it.
    pub fn of(core: &'a Validated<'_>, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        let (to, begun) = match core.memory.rekeying() {
            Rekeying::No | Rekeying::Done => return Ok(None),
            Rekeying::Requested { to } => (to.as_str(), false),
            Rekeying::Begun { to } => (to.as_str(), true),
        };
        let pod = pod(core, to)?;
        let existing = world.with_status::<Pod>(&name(core))?;
        let phase = match &existing {
            None if begun => Phase::Allowed,
            None => Phase::Preparing,
            Some(existing) => match (begun, gated_pod::phase(existing)) {
                (true, Some("Succeeded")) => Phase::Ended,
                // It does not wait for the record: a user has created or changed it.
                (false, Some("Running" | "Succeeded")) => Phase::Allowed,
                _ if digest(existing) != digest(&pod) => Phase::Replacing,
                (true, _) => Phase::Allowed,
                (false, _) if !is_prepared(existing) => Phase::Preparing,
                (false, _) if is_stopped(&core.instance.name, world)? => Phase::Allowed,
                (false, _) => Phase::Stopping,
            },
        };
        Ok(Some(Self { to, begun, phase, pod }))
    }

    /// Whether it has begun, or begins now.
    pub fn has_begun(&self) -> bool {
        self.begun || matches!(self.phase, Phase::Allowed | Phase::Ended)
    }

    /// The pod, if it should exist now.
    pub fn pod(&self) -> Option<Desired> {
        match self.phase {
            Phase::Replacing => None,
            Phase::Preparing | Phase::Stopping | Phase::Allowed | Phase::Ended => {
                Some(Desired::from(self.pod.clone()))
            }
        }
    }

    /// Core's Deployment meanwhile.
    pub fn deployment(&self, core: &Validated<'_>) -> Desired {
        if self.has_begun() || self.phase == Phase::Stopping {
            let why = "is stopped until its credentials are encrypted with the key in Secret";
            deployment::stopped(core, format!("{why} {}", self.to))
        } else {
            deployment::deployment(core)
        }
    }

    /// The Secret with the record, once the rotation has begun.
    pub fn record(&self, core: &Validated<'_>) -> Desired {
        match self.phase {
            Phase::Ended => core.memory.rekeyed(&core.instance, self.to),
            Phase::Replacing | Phase::Preparing | Phase::Stopping | Phase::Allowed => {
                core.memory.while_rekeying(&core.instance, self.to)
            }
        }
    }
}

fn name(core: &Validated<'_>) -> String {
    format!("{}-reencrypt", core.instance.name)
}

fn pod(core: &Validated<'_>, to: &str) -> Result<Pod, PlanError> {
    let image = repair::operator_image(core, ROTATE_ENCRYPTION_KEY_ANNOTATION)?;
    let step = |name: &str, more: &[&str]| Step {
        image: Image::Operator,
        container: Container {
            name: name.into(),
            image: Some(image.to_owned()),
            args: Some(ARGUMENTS.iter().chain(more).map(|it| (*it).to_owned()).collect()),
            env: Some(environment::of_database(core).into()),
            volume_mounts: Some(
                core.authorities
                    .mounts()
                    .into_iter()
                    .chain([file_mount(OLD, "key", "/keys/old"), file_mount(NEW, "key", "/keys/new")])
                    .collect(),
            ),
            ..Container::default()
        },
    };
    let (namespace, pod) = (core.instance.namespace, name(core));
    let key =
        |volume: &str, secret: &str| -> Volume { secret_volume(volume, secret, &[(ENCRYPTION_KEY, "key")]) };
    Task {
        name: pod.clone(),
        label: "reencrypt",
        entry: NEXT_KEY.into(),
        volumes: vec![key(OLD, core.memory.key_secret()), key(NEW, to)],
        checks: vec![step("check-credentials", &["--check"])],
        steps: vec![step("reencrypt", &[])],
        purpose: format!("encrypts the credentials in the database with the key in Secret {to}"),
        remedy: format!("correct the cause, and try again: kubectl -n {namespace} delete pod {pod}"),
    }
    .pod(core)
}

const ARGUMENTS: [&str; 4] = ["database", "reencrypt", "--old-key=/keys/old", "--new-key=/keys/new"];

/// The volumes with the keys.
const OLD: &str = "old-key";
const NEW: &str = "new-key";
