//! Whether the fields that the operator owns in an object have changed.

use super::{entries, is_apply, is_operator};
use kube::core::ObjectMeta;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A hash of the operator's entries in the managed fields of an object.
///
/// Another manager that changes a field of the operator takes the field over, and a change of any other field leaves
/// these entries unchanged. So the hash distinguishes drift from a status, a label or an annotation that another
/// program writes. The generation does not: that of a Deployment changes when its controller annotates it. The time
/// of the last apply is part of the hash, because another process may use the same field manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedFields(u64);

impl OwnedFields {
    /// The hash for the object with this metadata.
    pub fn of(meta: &ObjectMeta) -> Self {
        let mut hasher = DefaultHasher::new();
        for (manager, entry) in
            entries(meta).filter(|(manager, entry)| is_apply(entry) && is_operator(manager))
        {
            let fields = entry.fields_v1.as_ref().map(|fields| fields.0.to_string());
            (manager, fields, entry.time.as_ref().map(|time| time.0)).hash(&mut hasher);
        }
        Self(hasher.finish())
    }
}
