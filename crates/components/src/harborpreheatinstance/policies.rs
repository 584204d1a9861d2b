//! The policies that say with which images a Harbor preheats the network.

use crate::management::Server;
use api::v1beta1::{
    HarborPreheatInstanceSpec,
    harborpreheatinstance::{PreheatFilters, PreheatPolicy, PreheatScope},
};
use harbor::{Feature, Version};
use harborstate::preheat_policy::{self, Trigger};
use plan::{All as _, PlanError};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a policy without a filter is about.
const EVERYTHING: &str = "**";

/// The name of a policy in Harbor, and its state.
type Named = (String, preheat_policy::PreheatPolicy);

/// All policies of the spec.
pub(super) fn policies(spec: &HarborPreheatInstanceSpec, server: &Server) -> Result<Vec<Named>, PlanError> {
    let policies = spec.policies.iter().flatten().map(|policy| {
        let trigger = policy.trigger.clone().unwrap_or_default();
        let state = preheat_policy::PreheatPolicy {
            description: Some(policy.description.clone().unwrap_or_default()),
            provider: Some(spec.instance_name.clone()),
            filters: Some(filters(&policy.filters.clone().unwrap_or_default())),
            trigger: Some(Trigger {
                kind: trigger.type_.as_str().to_owned(),
                cron: trigger.cron.map(|cron| cron.to_string()).unwrap_or_default(),
            }),
            enabled: Some(policy.enabled.unwrap_or(true)),
            extra_attrs: attributes(policy, server)?,
        };
        Ok((harborstate::in_project(&policy.project, &policy.name), state))
    });
    policies.collect::<Vec<_>>().all()
}

fn filters(filters: &PreheatFilters) -> BTreeMap<String, Value> {
    let pattern = |pattern: &Option<String>| Value::from(pattern.as_deref().unwrap_or(EVERYTHING));
    let labels = (!filters.labels.is_empty()).then(|| ("label", filters.labels.join(",").into()));
    let patterns = [("repository", pattern(&filters.repositories)), ("tag", pattern(&filters.tags))];
    patterns.into_iter().chain(labels).map(|(kind, value)| (kind.to_owned(), value)).collect()
}

/// The attributes for the network, which the scope is one of. Harbor 2.12 has another field for it, which the operator does
/// not set.
fn attributes(policy: &PreheatPolicy, server: &Server) -> Result<Option<BTreeMap<String, Value>>, PlanError> {
    let has = |version: Version| version.has(Feature::PreheatExtraAttributes);
    let field = |field: &str| format!("spec.policies[{}/{}].{field}", policy.project, policy.name);
    if !policy.extra_attributes.is_empty() {
        server.supports(&field("extraAttributes"), has)?;
    }
    match (policy.scope, server.version()) {
        (Some(PreheatScope::AllPeers), Some(version)) if version.has(Feature::PreheatScope) => {
            return Err(PlanError::invalid(
                field("scope"),
                format!("the operator cannot set it in Harbor {version}"),
                "remove it, or upgrade the Harbor to 2.13",
            ));
        }
        (Some(PreheatScope::AllPeers), _) => server.supports(&field("scope"), has)?,
        // That is what versions without a scope do.
        (Some(PreheatScope::SinglePeer) | None, _) => {}
    }
    if !server.version().is_none_or(has) {
        return Ok(None);
    }
    let scope = policy.scope.map(|scope| ("scope".to_owned(), Value::from(scope.as_str())));
    let others = policy.extra_attributes.iter().map(|(name, value)| (name.clone(), value.clone().into()));
    Ok(Some(others.chain(scope).collect()))
}
