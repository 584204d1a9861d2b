//! The audit log.

use crate::{Harbor, client::Path, error::Error};
use serde::Deserialize;

impl Harbor {
    /// The audit log.
    pub fn audit(&self) -> Audit<'_> {
        Audit { harbor: self }
    }
}

/// Calls about the audit log.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'h> {
    harbor: &'h Harbor,
}

impl Audit<'_> {
    /// The event types that a purge and `disabled_audit_log_event_types` may name, from 2.13 on.
    pub async fn event_types(&self) -> Result<Vec<String>, Error> {
        let types: Vec<EventType> = self.harbor.get(Path::new("/auditlog-exts/events")).json().await?;
        Ok(types.into_iter().map(|event| event.event_type).collect())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EventType {
    event_type: String,
}
