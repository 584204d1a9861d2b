//! When the key that encrypts credentials in the database may change.
//!
//! Core changes it, see `crate::core`. The Harbor decides when: it passes the request on to its Core when no rotation and no
//! upgrade is under way. From then on, until the database has the key, neither of them begins.

use crate::{
    core::{Record, has_key},
    harbor::{credentials::Credentials, validated::Validated},
};
use api::{
    names::ROTATE_ENCRYPTION_KEY_ANNOTATION,
    v1beta1::{
        Core,
        rotation::{RotationPhase, RotationStatus},
    },
};
use plan::{PlanError, PlannedStep, Point, World};

/// Its name for users.
const NAME: &str = "encryptionKey";

/// How far the change of the key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EncryptionKey {
    /// It does not change.
    Settled,
    /// The database has the key that a user asks for.
    Done,
    /// A user asks for the key in a Secret, and Core does not know it yet.
    Asked {
        to: String,
        /// The request that Core knows, an earlier one.
        before: Option<String>,
    },
    /// The same, and it waits for this.
    Waiting { to: String, before: Option<String>, why: String },
    /// Core checks the credentials, and then changes them.
    Running { to: String },
}

impl EncryptionKey {
    /// How far it is.
    pub fn of(harbor: &Validated<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let asked = harbor.annotation(ROTATE_ENCRYPTION_KEY_ANNOTATION).map(str::trim);
        let asked =
            asked.filter(|asked| !asked.is_empty() && *asked != &*Credentials::of(harbor).encryption.name());
        // A database without a record is new, and gets the key in the spec.
        let Some(record) = Record::read(&harbor.name, world)? else { return Ok(Self::Settled) };
        if let Some(to) = record.next_key {
            return Ok(Self::Running { to });
        }
        let Some(to) = asked.map(str::to_owned) else { return Ok(Self::Settled) };
        if has_key(&harbor.name, &to, world)? {
            return Ok(Self::Done);
        }
        let core = world.read::<Core>(&harbor.name)?;
        let before =
            core.and_then(|core| core.metadata.annotations?.remove(ROTATE_ENCRYPTION_KEY_ANNOTATION));
        Ok(if before.as_ref() == Some(&to) { Self::Running { to } } else { Self::Asked { to, before } })
    }

    /// What rotations and upgrades wait for, if they do.
    pub fn holds(&self) -> Option<String> {
        match self {
            Self::Running { to } => {
                Some(format!("the encryption of credentials with the key in Secret {to}"))
            }
            Self::Settled | Self::Done | Self::Asked { .. } | Self::Waiting { .. } => None,
        }
    }

    /// The same once it is known what a request waits for. Without an obstacle, Core learns of it now.
    pub fn after(self, obstacle: Option<String>) -> Self {
        match (self, obstacle) {
            (Self::Asked { to, before }, Some(why)) => Self::Waiting { to, before, why },
            (Self::Asked { to, .. }, None) => Self::Running { to },
            (other, _) => other,
        }
    }

    /// Keeps a request that waits from Core.
    pub fn write(&self, core: &mut Core) {
        let Self::Waiting { before, .. } = self else { return };
        let annotations = core.metadata.annotations.get_or_insert_default();
        match before {
            Some(before) => annotations.insert(ROTATE_ENCRYPTION_KEY_ANNOTATION.into(), before.clone()),
            None => annotations.remove(ROTATE_ENCRYPTION_KEY_ANNOTATION),
        };
    }

    /// What the Harbor waits for, if a request waits. Core says itself what it waits for.
    pub fn waits(&self) -> Option<String> {
        match self {
            Self::Waiting { to, why, .. } => {
                Some(format!("the encryption of credentials with the key in Secret {to} {why}"))
            }
            Self::Settled | Self::Done | Self::Asked { .. } | Self::Running { .. } => None,
        }
    }

    /// Its state, for the status.
    pub fn state(&self) -> Option<RotationStatus> {
        let (phase, message) = match self {
            Self::Settled => return None,
            Self::Done => (RotationPhase::Done, None),
            Self::Asked { .. } => (RotationPhase::Waiting, None),
            Self::Waiting { why, .. } => (RotationPhase::Waiting, Some(why.clone())),
            Self::Running { to } => {
                let does = format!(
                    "Core checks its credentials, and is stopped until they are encrypted with the key in Secret {to}"
                );
                (RotationPhase::Running, Some(does))
            }
        };
        Some(RotationStatus { name: NAME.into(), phase, request: None, at: None, message })
    }

    /// What it does, if it is under way or ahead.
    pub fn planned(&self) -> Option<PlannedStep> {
        let (Self::Asked { to, .. } | Self::Waiting { to, .. } | Self::Running { to }) = self else {
            return None;
        };
        let point = |about, text: &str| Point { about, text: text.to_owned() };
        let encrypts = format!("encrypts all credentials with the key in Secret {to}");
        Some(PlannedStep {
            name: format!("the rotation of {NAME}"),
            points: vec![
                point("Steps", "checks that every credential can be decrypted"),
                point("Steps", "stops Core"),
                point("Steps", &encrypts),
                point("Steps", "starts Core with the new key"),
                point("Clients", "no push and no pull while Core is stopped"),
            ],
        })
    }
}
