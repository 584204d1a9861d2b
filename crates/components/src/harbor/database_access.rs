//! What the components of a Harbor reach its database with, when that changes.

use crate::core::Record;
use api::{names::DATABASE_ACCESS_ANNOTATION, v1beta1::JobService};

/// JobService, which asks Core how to reach the database when it starts, and never again. So its pods restart when all pods of Core
/// have changed to another password, user or host. If that never happened, they have nothing to restart for.
pub(super) fn after_core(mut jobservice: JobService, record: Option<&Record>) -> JobService {
    if record.is_some_and(|record| record.has_changed_access) {
        let core = jobservice.metadata.name.as_deref().unwrap_or_default();
        let secret = Record::secret(core);
        let annotations = jobservice.metadata.annotations.get_or_insert_default();
        annotations.insert(DATABASE_ACCESS_ANNOTATION.into(), secret);
    }
    jobservice
}
