//! Everything that the children of Portal are made from, validated: its spec and its certificate.

use super::Portal;
use crate::{
    certificates::InternalTls,
    nginx::ip_families,
    pods::{Instance, Scheme},
    secrets::Secrets,
};
use api::v1beta1::{self, PortalSpec, network::IpFamily};
use plan::{All, PlanError, World};

/// A validated Portal.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a PortalSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// IP families it listens on.
    pub families: Vec<IpFamily>,
    /// The maximum number of connections of a worker.
    pub connections: i32,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::Portal, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let families = ip_families(spec.network.as_ref());
        let (instance, tls, connections) = (
            Instance::of::<Portal>(&owner.metadata, &spec.component, world.defaults()),
            InternalTls::of(spec.tls.as_ref(), "spec.tls", &secrets),
            connections(spec.max_connections, families.len()),
        )
            .all()?;
        Ok(Self { instance, spec, tls, families, connections })
    }

    /// How Portal is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.tls.as_ref())
    }
}

/// The number of connections; zero means the default. Each listener takes one, and nginx does not start if none
/// is left for users.
fn connections(requested: i32, listeners: usize) -> Result<i32, PlanError> {
    const DEFAULT: i32 = 1024;
    match usize::try_from(requested) {
        Ok(0) => Ok(DEFAULT),
        Ok(enough) if enough > listeners => Ok(requested),
        _ => Err(PlanError::invalid(
            "spec.maxConnections",
            format!("{requested} leaves nginx no connection for users"),
            format!("use more, such as {DEFAULT}"),
        )),
    }
}
