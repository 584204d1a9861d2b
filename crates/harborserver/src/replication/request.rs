//! Replication policies as bodies describe them.

use crate::rest::{Shown, go_struct};
use serde_json::Value;

go_struct! {
    /// A policy as bodies describe it. Harbor reads `deletion` and ignores `replicate_deletion`.
    PolicyRequest = "ReplicationPolicy" {
        name: String,
        description: String,
        src_registry: Option<RegistryReference>,
        dest_registry: Option<RegistryReference>,
        dest_namespace: String,
        dest_namespace_replace_count: Option<i64>,
        trigger: Option<TriggerRequest>,
        filters: Vec<FilterRequest>,
        replicate_deletion: bool,
        deletion: bool,
        overrides = "override": bool,
        enabled: bool,
        speed: i64,
        copy_by_chunk: bool,
        single_active_replication: bool,
    }
}

go_struct! { RegistryReference = "Registry" { id: i64 } }

go_struct! {
    /// When a policy runs.
    TriggerRequest = "ReplicationTrigger" { kind = "type": String, trigger_settings: Option<TriggerSettings> }
}

go_struct! { TriggerSettings = "ReplicationTriggerSettings" { cron: String } }

go_struct! {
    /// What a policy copies.
    FilterRequest = "ReplicationFilter" { kind = "type": String, value: Value, decoration: String }
}

impl PolicyRequest {
    /// How many parts of a name the namespace replaces. All but the last by default, as in the first versions.
    pub fn replace_count(&self) -> i64 {
        self.dest_namespace_replace_count.unwrap_or(-1)
    }
}

impl TriggerRequest {
    /// The cron text of a policy that runs by itself.
    pub fn cron(&self) -> Option<&str> {
        let settings = self.trigger_settings.as_ref()?;
        (self.kind == "scheduled").then_some(settings.cron.as_str())
    }

    pub fn show(&self) -> Value {
        let cron = self.trigger_settings.as_ref().map(|settings| settings.cron.as_str()).unwrap_or_default();
        Shown::new()
            .with("type", self.kind.as_str())
            .nonzero("trigger_settings", Value::from(Shown::new().nonzero("cron", cron)))
            .into()
    }
}

impl FilterRequest {
    pub fn show(&self) -> Value {
        Shown::new()
            .with("type", self.kind.as_str())
            .with("value", self.value.clone())
            .nonzero("decoration", self.decoration.as_str())
            .into()
    }
}
