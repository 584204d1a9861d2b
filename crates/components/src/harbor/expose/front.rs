//! The reverse proxy in front of Core and the portal.

use super::super::{certificates, internal_tls, part::Part, validated::Validated};
use crate::{
    certificates::{CA_CERTIFICATE, pem_certificates},
    connections::Url,
    front::{Front, Request},
    nginx::Ciphers,
    pods::Scheme,
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::{ObjectName, component::ComponentSpec};
use k8s_openapi::api::core::v1::Service;
use kube::core::ObjectMeta;
use plan::{All, PlanError, World};

/// What a front borrows: the names of Services and Secrets.
pub(in super::super) struct FrontParts {
    pods: ComponentSpec,
    certificate: Option<ObjectName>,
    authority: Option<String>,
    core: String,
    portal: String,
}

/// The addresses of a Service, if it exists.
fn addresses(service: &str, world: &World<'_>) -> Result<Vec<String>, PlanError> {
    let spec = world.read::<Service>(service)?.and_then(|service| service.spec);
    Ok(spec.and_then(|spec| spec.cluster_ips.or_else(|| Some(vec![spec.cluster_ip?]))).unwrap_or_default())
}

impl FrontParts {
    /// The names for this Harbor, whether or not it has a front.
    pub fn of(harbor: &Validated<'_>) -> Self {
        let internal = harbor.scheme() == Scheme::Https;
        Self {
            pods: harbor.pods(Part::Nginx, harbor.installation.nginx.as_ref()),
            certificate: certificates::public_secret(harbor),
            authority: internal.then(|| harbor.internal_certificate(Part::Core)),
            core: harbor.child(Part::Core.name()),
            portal: harbor.child(Part::Portal.name()),
        }
    }

    /// The front, if the user requests one.
    pub fn front<'a>(
        &'a self,
        harbor: &Validated<'a>,
        meta: &'a ObjectMeta,
        world: &World<'_>,
    ) -> Result<Option<Front<'a>>, PlanError> {
        let Some(service) = &harbor.installation.expose.core.service else { return Ok(None) };
        if harbor.installation.portal.is_none() {
            return Err(PlanError::invalid(
                "spec.portal",
                "is not set, but expose.core.service leads to it",
                "add portal: {}, or expose Core in another way",
            ));
        }
        let (core, portal, ()) =
            (addresses(&self.core, world), addresses(&self.portal, world), given_authority(harbor, world))
                .all()?;
        let request = Request {
            version: harbor.version.clone(),
            pods: &self.pods,
            service,
            network: harbor.installation.network.as_ref(),
            external: Url::parse(harbor.external_url(), "spec.externalURL")?,
            certificate: self.certificate.as_deref(),
            authority: self.authority.as_deref(),
            ciphers: Ciphers::of(harbor.strong_ciphers()),
            core: &self.core,
            portal: &self.portal,
            addresses: [core, portal].concat(),
        };
        Front::of(meta, request).map(Some)
    }
}

/// Validates the authority that the user names: nginx does not start without it.
fn given_authority(harbor: &Validated<'_>, world: &World<'_>) -> Result<(), PlanError> {
    let installation = harbor.installation;
    let core = internal_tls::is_given(installation).then(|| internal_tls::given(installation, Part::Core));
    let Some(secret) = core.flatten() else { return Ok(()) };
    let authority = SecretKey::new(secret, CA_CERTIFICATE);
    Secrets::new(world, harbor.namespace).checked(&authority, pem_certificates).map(drop)
}
