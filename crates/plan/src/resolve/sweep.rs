//! Which children of an owner are to be removed because the owner no longer wants them.

use crate::{ObjectKey, ObservedObject, Provenance};
use std::collections::BTreeSet;

/// Children that an owner no longer wants, and what to do about them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unwanted {
    /// Created by the operator or the old operator: to be deleted.
    pub deleted: Vec<ObservedObject>,
    /// Created by another program, while the old operator wrote an owner into them: the operator removes that owner, or the
    /// garbage collector would delete them with it.
    pub released: Vec<ObservedObject>,
}

/// Those of `children`, all of them children of one owner in `namespace`, that are not `wanted`.
///
/// Immutable objects stay: they hold generated secrets, and data encrypted with them may still exist. So does what another
/// program created. A deletion names the uid that was observed, so a stale observation deletes nothing that is newer.
pub fn unwanted(children: Vec<ObservedObject>, namespace: &str, wanted: &BTreeSet<&ObjectKey>) -> Unwanted {
    let mut unwanted = Unwanted::default();
    for child in children {
        let observation = &child.observation;
        if child.key.namespace != namespace
            || wanted.contains(&child.key)
            || observation.immutable
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

/// Whether the operator deletes objects of this kind. A PersistentVolumeClaim holds data: it goes with its owner, by the
/// garbage collector, or not at all.
fn is_swept(key: &ObjectKey) -> bool {
    (key.group.as_str(), key.kind.as_str()) != ("", "PersistentVolumeClaim")
}
