//! Everything that Portal's children are made from: its spec and its certificate, found sound.

use super::Portal;
use crate::{
    certificates::InternalTls,
    nginx::ip_families,
    pods::{Instance, Scheme},
    secrets::Secrets,
};
use api::v1beta1::{self, PortalSpec, network::IpFamily};
use plan::{All, PlanError, World};

/// A Portal that can be made.
pub(super) struct Inputs<'a> {
    /// The object, as all its children see it.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a PortalSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// IP families it listens on.
    pub families: Vec<IpFamily>,
    /// Most connections of a worker.
    pub connections: i32,
}

impl<'a> Inputs<'a> {
    /// Reads what the spec refers to.
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

/// Zero always meant the usual number. Each listener takes a connection for itself; nginx refuses to start where none
/// is left for users.
fn connections(wished: i32, listeners: usize) -> Result<i32, PlanError> {
    const USUAL: i32 = 1024;
    match usize::try_from(wished) {
        Ok(0) => Ok(USUAL),
        Ok(enough) if enough > listeners => Ok(wished),
        _ => Err(PlanError::invalid(
            "spec.maxConnections",
            format!("{wished} leaves nginx no connection for users"),
            format!("use more, such as {USUAL}"),
        )),
    }
}
