//! The state in which the operator left an object, so that it sends nothing twice.

use crate::{Digest, Health, Observation, OwnedFields};
use jiff::Timestamp;
use serde_json::Value;

/// The state in which the operator left a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The operator applied it; the API server answered with this uid and these owned fields.
    Sent {
        /// See [`crate::desired_digest`].
        digest: Digest,
        /// Its pod template, if it has one.
        pods: Option<Pods>,
        /// The uid in the answer.
        uid: String,
        /// The operator's fields in the answer.
        owned_fields: OwnedFields,
    },
    /// It holds a certificate that the operator issued, or found to be as desired.
    Issued(Certificate),
    /// It exists. The operator does not manage its content.
    Exists,
    /// It is marked as immutable.
    Immutable,
    /// Another program creates it, and this was its health. The operator reads it again when it changes.
    Awaited(Health),
    /// Lives outside the cluster, and the operator keeps it: it created or adopted it.
    External {
        /// Digest of the write-only fields that were sent last.
        written: Option<Digest>,
    },
    /// Another program manages it, and it has the item that the operator adds.
    Amended,
}

impl Applied {
    /// Whether the child is still in this state.
    pub fn holds(&self, now: &Observation) -> bool {
        match self {
            Self::Sent { uid, owned_fields, .. } => {
                *uid == now.uid && *owned_fields == now.owned_fields && !now.unadopted
            }
            Self::Issued(certificate) => certificate.holds(now),
            Self::Exists | Self::Awaited(_) | Self::External { .. } | Self::Amended => true,
            Self::Immutable => now.immutable,
        }
    }
}

/// The pod template of a workload, as digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pods {
    template: Digest,
    /// Of the first container, which is the main container.
    image: Option<Digest>,
}

impl Pods {
    /// The pod template of an object, if it has one.
    pub fn of(object: &Value) -> serde_json::Result<Option<Self>> {
        let Some(template) = object.pointer("/spec/template") else { return Ok(None) };
        let image = image(object).map(Digest::of).transpose()?;
        Ok(Some(Self { template: Digest::of(template)?, image }))
    }

    /// Whether both run the same image.
    pub fn has_image_of(&self, other: &Self) -> bool {
        self.image == other.image
    }
}

/// The image of the pods of an object.
pub fn image(object: &Value) -> Option<&str> {
    object.pointer("/spec/template/spec/containers/0/image")?.as_str()
}

/// A certificate in a Secret, as the operator left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Digest of everything that the certificate depends on.
    pub asked: Digest,
    /// The uid of the Secret.
    pub uid: String,
    /// The operator's fields in the Secret.
    pub owned_fields: OwnedFields,
    /// When the operator renews it.
    pub due: Timestamp,
    /// When it expires.
    pub expires: Option<Timestamp>,
}

impl Certificate {
    /// Whether the Secret is still as the operator left it.
    pub fn holds(&self, now: &Observation) -> bool {
        self.uid == now.uid && self.owned_fields == now.owned_fields
    }
}
