//! Roles and their bindings.

use super::{metadata::named, names, selector};
use crate::{
    failure::Cause,
    kinds::{
        resource::Resource,
        value::{has, items, text},
    },
};
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn role(resource: &Resource, object: &Value, causes: &mut Vec<Cause>) {
    for (index, rule) in items(object, "rules").iter().enumerate() {
        let path = format!("rules[{index}]");
        let lacks = |field: &str| items(rule, field).is_empty();
        if !lacks("nonResourceURLs") {
            let field = format!("{path}.nonResourceURLs");
            let urls = &rule["nonResourceURLs"];
            if resource.namespaced {
                let message = "namespaced rules cannot apply to non-resource URLs";
                causes.push(Cause::invalid(&field, urls, message));
            }
            if !(lacks("apiGroups") && lacks("resources") && lacks("resourceNames")) {
                let message = "rules cannot apply to both regular resources and non-resource URLs";
                causes.push(Cause::invalid(&field, urls, message));
            }
            continue;
        }
        if lacks("apiGroups") {
            let message = "resource rules must supply at least one api group";
            causes.push(Cause::required(format!("{path}.apiGroups"), message));
        }
        if lacks("resources") {
            let message = "resource rules must supply at least one resource";
            causes.push(Cause::required(format!("{path}.resources"), message));
        }
    }
    if has(object, "aggregationRule") {
        let path = "aggregationRule.clusterRoleSelectors";
        let selectors = items(&object["aggregationRule"], "clusterRoleSelectors");
        if selectors.is_empty() {
            let message = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            causes.push(Cause::required(path, message));
        }
        for (index, chosen) in selectors.iter().enumerate() {
            selector::selector(chosen, &format!("{path}[{index}]"), causes);
        }
    }
    for (index, rule) in items(object, "rules").iter().enumerate() {
        if items(rule, "verbs").is_empty() {
            causes.push(Cause::required(format!("rules[{index}].verbs"), ""));
        }
    }
}

pub(super) fn binding(resource: &Resource, object: &Value, causes: &mut Vec<Cause>) {
    let role = &object["roleRef"];
    if text(role, "apiGroup") != GROUP {
        causes.push(Cause::not_supported("roleRef.apiGroup", &json!(text(role, "apiGroup")), &[GROUP]));
    }
    let kinds: &[&str] = if resource.namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&text(role, "kind")) {
        causes.push(Cause::not_supported("roleRef.kind", &json!(text(role, "kind")), kinds));
    }
    named("roleRef.name", text(role, "name"), names::path_segment, causes);
    for (index, subject) in items(object, "subjects").iter().enumerate() {
        let path = format!("subjects[{index}]");
        let (name, group) = (text(subject, "name"), text(subject, "apiGroup"));
        match text(subject, "kind") {
            "ServiceAccount" => {
                if !name.is_empty() {
                    named(&format!("{path}.name"), name, names::dns_subdomain, causes);
                }
                if !group.is_empty() {
                    causes.push(Cause::not_supported(format!("{path}.apiGroup"), &json!(group), &[""]));
                }
                if !resource.namespaced && text(subject, "namespace").is_empty() {
                    causes.push(Cause::required(format!("{path}.namespace"), ""));
                }
            }
            "User" | "Group" if group != GROUP => {
                causes.push(Cause::not_supported(format!("{path}.apiGroup"), &json!(group), &[GROUP]));
            }
            "User" | "Group" => {}
            other => {
                let words = ["ServiceAccount", "User", "Group"];
                causes.push(Cause::not_supported(format!("{path}.kind"), &json!(other), &words));
            }
        }
    }
    for (index, subject) in items(object, "subjects").iter().enumerate() {
        if text(subject, "name").is_empty() {
            causes.push(Cause::required(format!("subjects[{index}].name"), ""));
        }
    }
    if text(role, "name").is_empty() {
        causes.push(Cause::required("roleRef.name", ""));
    }
}
