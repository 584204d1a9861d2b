//! Which children the operator removes because their owner no longer wants them.

use crate::{ObjectKey, ObservedObject, Provenance};
use std::collections::BTreeSet;

/// Children that an owner no longer wants, and what to do about them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unwanted {
    /// The operator or the old operator created them: the operator deletes them.
    pub deleted: Vec<ObservedObject>,
    /// Another program created them, and the old operator set an owner reference: the operator removes that
    /// reference, or the garbage collector would delete them with the owner.
    pub released: Vec<ObservedObject>,
}

/// The `children` of one owner in `namespace` that are not `wanted`.
///
/// Immutable objects stay unless they are `replaced`: they hold generated secrets, and data encrypted with them may still exist. Objects that
/// another program created stay, too. A deletion has the observed uid as precondition, so a stale observation deletes
/// no newer object.
pub fn unwanted(
    children: Vec<ObservedObject>,
    namespace: &str,
    wanted: &BTreeSet<&ObjectKey>,
    replaced: &BTreeSet<ObjectKey>,
) -> Unwanted {
    let mut unwanted = Unwanted::default();
    for child in children {
        let observation = &child.observation;
        if child.key.namespace != namespace
            || wanted.contains(&child.key)
            || observation.immutable && !replaced.contains(&child.key)
            || observation.deleting
        {
            continue;
        }
        match observation.provenance {
            Provenance::Operator if is_swept(&child.key) => unwanted.deleted.push(child),
            Provenance::Appropriated => unwanted.released.push(child),
            Provenance::Operator | Provenance::Foreign => {}
        }
    }
    unwanted
}

/// Whether the operator deletes objects of this kind. A PersistentVolumeClaim holds data: only the garbage collector
/// deletes it, with its owner.
fn is_swept(key: &ObjectKey) -> bool {
    (key.group.as_str(), key.kind.as_str()) != ("", "PersistentVolumeClaim")
}
