//! The endpoints that the registry notifies of pushes and pulls.

use crate::values::go_duration;
use api::v1beta1::registry::notifications::{
    RegistryNotificationEndpointSpec, RegistryNotificationIgnoreSpec, RegistryNotificationsSpec,
};
use plan::{All, PlanError};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Notifications<'a> {
    events: Events,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    endpoints: Vec<Endpoint<'a>>,
}

#[derive(Serialize)]
struct Events {
    includereferences: bool,
}

#[derive(Serialize)]
struct Endpoint<'a> {
    name: &'a str,
    disabled: bool,
    url: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: &'a BTreeMap<String, Vec<String>>,
    timeout: &'a str,
    threshold: i32,
    backoff: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    ignoredmediatypes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore: Option<Ignore<'a>>,
}

#[derive(Serialize)]
struct Ignore<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    mediatypes: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    actions: &'a [String],
}

impl<'a> Notifications<'a> {
    pub(super) fn of(spec: &'a RegistryNotificationsSpec) -> Result<Self, PlanError> {
        let endpoints = spec.endpoints.iter().map(Endpoint::of).collect::<Vec<_>>().all()?;
        let includereferences = spec.events.clone().unwrap_or_default().include_references;
        Ok(Self { events: Events { includereferences }, endpoints })
    }
}

impl<'a> Endpoint<'a> {
    fn of(spec: &'a RegistryNotificationEndpointSpec) -> Result<Self, PlanError> {
        let field = |name| format!("spec.notifications.endpoints[{}].{name}", spec.name);
        let (timeout, backoff) =
            (go_duration(&spec.timeout, field("timeout")), go_duration(&spec.backoff, field("backoff")))
                .all()?;
        Ok(Self {
            name: &spec.name,
            disabled: spec.disabled,
            url: &spec.url,
            headers: &spec.headers,
            timeout,
            threshold: spec.threshold,
            backoff,
            ignoredmediatypes: &spec.ignored_media_types,
            ignore: spec.ignore.as_ref().map(Ignore::of),
        })
    }
}

impl<'a> Ignore<'a> {
    fn of(spec: &'a RegistryNotificationIgnoreSpec) -> Self {
        Self { mediatypes: &spec.media_types, actions: &spec.actions }
    }
}
