//! Whether the components run.

use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, Shown},
};
use serde_json::{Value, json};

/// A part of a Harbor whose health it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// The API itself.
    Core,
    /// PostgreSQL. While it is down, every credential is refused.
    Database,
    /// The job service.
    Jobservice,
    /// The web interface.
    Portal,
    /// The cache.
    Redis,
    /// The registry.
    Registry,
    /// The controller of the registry.
    Registryctl,
}

impl Component {
    const ALL: [Self; 7] = [
        Self::Core,
        Self::Database,
        Self::Jobservice,
        Self::Portal,
        Self::Redis,
        Self::Registry,
        Self::Registryctl,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Database => "database",
            Self::Jobservice => "jobservice",
            Self::Portal => "portal",
            Self::Redis => "redis",
            Self::Registry => "registry",
            Self::Registryctl => "registryctl",
        }
    }
}

pub(super) fn ping(_: &mut Call<'_>) -> Result<Reply, Failure> {
    Ok(Reply::text("Pong"))
}

/// Always 200.
pub(super) fn health(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let status = |healthy: bool| if healthy { "healthy" } else { "unhealthy" };
    let unhealthy = &call.runtime.unhealthy;
    let show = |component: Component| -> Value {
        let healthy = !unhealthy.contains(&component);
        let error = format!("failed to check the health of {}", component.name());
        Shown::new()
            .with("name", component.name())
            .with("status", status(healthy))
            .when(!healthy, "error", error)
            .into()
    };
    let components: Vec<Value> = Component::ALL.into_iter().map(show).collect();
    Ok(Reply::json(json!({ "status": status(unhealthy.is_empty()), "components": components })))
}
