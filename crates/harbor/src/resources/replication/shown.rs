//! Replication policies as Harbor shows them, and what they mean.

use super::policy::{Direction, Filter, FilterDecoration, NewReplication, Trigger, TriggerType};
use crate::{RegistryId, ReplicationId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A policy as Harbor shows it.
#[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReplicationPolicy {
    /// Its number.
    pub id: ReplicationId,
    /// Its name.
    pub name: String,
    description: String,
    src_registry: ShownRegistry,
    dest_registry: ShownRegistry,
    dest_namespace: String,
    dest_namespace_replace_count: Option<i8>,
    trigger: ShownTrigger,
    filters: Vec<ShownFilter>,
    deletion: bool,
    r#override: bool,
    enabled: bool,
    speed: i32,
    copy_by_chunk: bool,
    single_active_replication: bool,
}

/// Only the number counts; Harbor shows the whole endpoint, and a made-up one with number 0 for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct ShownRegistry {
    id: RegistryId,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ShownTrigger {
    #[serde(rename = "type")]
    kind: TriggerType,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_settings: Option<TriggerSettings>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct TriggerSettings {
    cron: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ShownFilter {
    #[serde(rename = "type")]
    kind: String,
    value: Value,
    #[serde(skip_serializing_if = "FilterDecoration::is_unset")]
    decoration: FilterDecoration,
}

impl ReplicationPolicy {
    /// The policy in the form in which it was sent, to compare it with another; `None` if it has a filter or a trigger
    /// that this client does not know, and so differs from every policy that this client can send.
    pub fn sent(&self) -> Option<NewReplication> {
        let direction = match (self.src_registry.id, self.dest_registry.id) {
            (RegistryId(0), destination) => Direction::Push(destination),
            (source, _) => Direction::Pull(source),
        };
        Some(NewReplication {
            name: self.name.clone(),
            description: self.description.clone(),
            direction,
            dest_namespace: self.dest_namespace.clone(),
            dest_namespace_replace_count: self.dest_namespace_replace_count.unwrap_or(-1),
            trigger: self.trigger.meaning()?,
            filters: self.filters.iter().map(ShownFilter::meaning).collect::<Option<_>>()?,
            deletion: self.deletion,
            r#override: self.r#override,
            enabled: self.enabled,
            speed: self.speed.max(0),
            copy_by_chunk: self.copy_by_chunk,
            single_active_replication: self.single_active_replication,
        })
    }
}

impl ShownTrigger {
    fn meaning(&self) -> Option<Trigger> {
        match &self.kind {
            TriggerType::Manual => Some(Trigger::Manual),
            TriggerType::EventBased => Some(Trigger::EventBased),
            TriggerType::Scheduled => {
                let settings = self.trigger_settings.clone().unwrap_or_default();
                Some(Trigger::Scheduled(settings.cron))
            }
            TriggerType::Other(word) if word.is_empty() => Some(Trigger::Manual),
            TriggerType::Other(_) => None,
        }
    }
}

impl From<&Trigger> for ShownTrigger {
    fn from(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::Manual => Self { kind: TriggerType::Manual, trigger_settings: None },
            Trigger::EventBased => Self { kind: TriggerType::EventBased, trigger_settings: None },
            Trigger::Scheduled(cron) => {
                let settings = TriggerSettings { cron: cron.clone() };
                Self { kind: TriggerType::Scheduled, trigger_settings: Some(settings) }
            }
        }
    }
}

impl ShownFilter {
    fn meaning(&self) -> Option<Filter> {
        let decoration = match &self.decoration {
            unset if unset.is_unset() => FilterDecoration::Matches,
            set => set.clone(),
        };
        let text = || self.value.as_str().map(str::to_owned);
        match self.kind.as_str() {
            "name" => Some(Filter::Name(text()?)),
            "tag" => Some(Filter::Tag(decoration, text()?)),
            "resource" => Some(Filter::Resource(text()?)),
            "label" => {
                let labels = self.value.as_array()?.iter().map(|label| label.as_str().map(str::to_owned));
                Some(Filter::Label(decoration, labels.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}

impl From<&Filter> for ShownFilter {
    fn from(filter: &Filter) -> Self {
        let (kind, value, decoration) = match filter {
            Filter::Name(name) => ("name", name.clone().into(), FilterDecoration::default()),
            Filter::Tag(decoration, tag) => ("tag", tag.clone().into(), decoration.clone()),
            Filter::Label(decoration, labels) => {
                ("label", labels.iter().cloned().collect::<Value>(), decoration.clone())
            }
            Filter::Resource(resource) => ("resource", resource.clone().into(), FilterDecoration::default()),
        };
        Self { kind: kind.to_owned(), value, decoration }
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Filter, FilterDecoration, NewReplication, ReplicationPolicy, Trigger};
    use crate::RegistryId;
    use serde_json::{Value, json};

    fn nightly() -> NewReplication {
        NewReplication {
            name: "out".into(),
            description: String::new(),
            direction: Direction::Push(RegistryId(1)),
            dest_namespace: "beta".into(),
            dest_namespace_replace_count: -1,
            trigger: Trigger::Scheduled("0 0 1 * * *".into()),
            filters: [
                Filter::Name("alpha/**".into()),
                Filter::Tag(FilterDecoration::Matches, "v*".into()),
                Filter::Label(FilterDecoration::Excludes, ["old".to_owned()].into()),
            ]
            .into(),
            deletion: false,
            r#override: true,
            enabled: true,
            speed: 0,
            copy_by_chunk: false,
            single_active_replication: false,
        }
    }

    fn shown(policy: Value) -> ReplicationPolicy {
        crate::client::decode::decode_value(policy).unwrap()
    }

    #[test]
    fn a_policy_is_sent_with_every_field() {
        let sent = serde_json::to_value(NewReplication { speed: -5, ..nightly() }).unwrap();
        let expected = json!({
            "name": "out", "description": "", "dest_registry": {"id": 1}, "dest_namespace": "beta",
            "dest_namespace_replace_count": -1,
            "trigger": {"type": "scheduled", "trigger_settings": {"cron": "0 0 1 * * *"}},
            "filters": [
                {"type": "name", "value": "alpha/**"},
                {"type": "tag", "value": "v*", "decoration": "matches"},
                {"type": "label", "value": ["old"], "decoration": "excludes"},
            ],
            "deletion": false, "override": true, "enabled": true, "speed": 0, "copy_by_chunk": false,
            "single_active_replication": false,
        });
        assert_eq!(sent, expected);
    }

    #[test]
    fn what_harbor_shows_of_a_policy_is_no_difference() {
        let policy = shown(json!({
            "id": 1, "name": "out", "dest_namespace": "beta", "dest_namespace_replace_count": -1,
            "src_registry": {"id": 0, "name": "Local", "url": "http://acme-harbor-core:80"},
            "dest_registry": {"id": 1, "name": "self", "credential": {"access_secret": "*****"}},
            "filters": [
                {"type": "label", "value": ["old"], "decoration": "excludes"},
                {"type": "tag", "value": "v*", "decoration": "matches"},
                {"type": "name", "value": "alpha/**"},
            ],
            "trigger": {"type": "scheduled", "trigger_settings": {"cron": "0 0 1 * * *"}},
            "enabled": true, "override": true, "speed": 0, "replicate_deletion": true,
        }));
        assert_eq!(policy.sent(), Some(nightly()));
    }

    #[test]
    fn a_policy_without_trigger_is_manual_and_one_without_fields_is_off() {
        let policy = shown(json!({
            "id": 5, "name": "least", "filters": null, "dest_namespace_replace_count": -1, "speed": 0,
            "src_registry": {"id": 1}, "dest_registry": {"id": 0, "name": "Local"},
        }));
        let expected = NewReplication {
            name: "least".into(),
            direction: Direction::Pull(RegistryId(1)),
            dest_namespace: String::new(),
            trigger: Trigger::Manual,
            filters: [].into(),
            r#override: false,
            enabled: false,
            ..nightly()
        };
        assert_eq!(policy.sent(), Some(expected));
    }

    #[test]
    fn a_policy_with_an_unknown_filter_equals_none() {
        let policy = shown(json!({"name": "x", "filters": [{"type": "color", "value": "red"}]}));
        assert_eq!(policy.sent(), None);
    }
}
