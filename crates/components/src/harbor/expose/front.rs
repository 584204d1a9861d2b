//! The reverse proxy in front of Core and the portal.

use super::super::{certificates, internal_tls, part::Part, validated::Validated};
use crate::{
    certificates::{CA_CERTIFICATE, pem_certificates},
    connections::Url,
    front::{Front, Request},
    nginx::Ciphers,
    pods::{Availability, Scheme},
    secrets::{SecretKey, Secrets},
};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::core::ObjectMeta;
use plan::{All, Desired, PlanError, World};

/// The objects of the reverse proxy.
pub(in super::super) struct FrontObjects {
    /// The Service that users connect to.
    pub service: Service,
    /// nginx's configuration.
    pub config_map: ConfigMap,
    /// The Deployment. It waits for the ConfigMap, for the Secrets of both certificates, and for the Services of
    /// Core and the portal.
    pub deployment: Desired,
    /// The disruption budget and the autoscaler.
    pub availability: Availability,
}

/// The reverse proxy, if the user requests one.
pub(in super::super) fn front(
    harbor: &Validated<'_>,
    meta: &ObjectMeta,
    world: &World<'_>,
) -> Result<Option<FrontObjects>, PlanError> {
    let Some(service) = &harbor.installation.expose.core.service else { return Ok(None) };
    if harbor.installation.portal.is_none() {
        return Err(PlanError::invalid(
            "spec.portal",
            "is not set, but expose.core.service leads to it",
            "add portal: {}, or expose Core in another way",
        ));
    }
    let [core, portal] = [Part::Core, Part::Portal].map(|part| harbor.child(part.name()));
    let (core_addresses, portal_addresses, ()) =
        (addresses(&core, world), addresses(&portal, world), given_authority(harbor, world)).all()?;
    let internal = harbor.scheme() == Scheme::Https;
    let authority = internal.then(|| harbor.internal_certificate(Part::Core));
    let certificate = certificates::public_secret(harbor);
    let pods = harbor.pods(Part::Nginx, harbor.installation.nginx.as_ref());
    let request = Request {
        version: harbor.version.clone(),
        pods: &pods,
        service,
        network: harbor.installation.network.as_ref(),
        external: Url::parse(harbor.external_url(), "spec.externalURL")?,
        certificate: certificate.as_deref(),
        authority: authority.as_deref(),
        ciphers: Ciphers::of(harbor.strong_ciphers()),
        core: &core,
        portal: &portal,
        addresses: [core_addresses, portal_addresses].concat(),
    };
    let front = Front::of(meta, request)?;
    Ok(Some(FrontObjects {
        service: front.service(),
        config_map: front.config_map(),
        deployment: front.deployment(),
        availability: Availability::of(&front.instance),
    }))
}

/// The addresses of a Service, if it exists.
fn addresses(service: &str, world: &World<'_>) -> Result<Vec<String>, PlanError> {
    let spec = world.read::<Service>(service)?.and_then(|service| service.spec);
    Ok(spec.and_then(|spec| spec.cluster_ips.or_else(|| Some(vec![spec.cluster_ip?]))).unwrap_or_default())
}

/// Validates the authority that the user names: nginx does not start without it.
fn given_authority(harbor: &Validated<'_>, world: &World<'_>) -> Result<(), PlanError> {
    let installation = harbor.installation;
    let core = internal_tls::is_given(installation).then(|| internal_tls::given(installation, Part::Core));
    let Some(secret) = core.flatten() else { return Ok(()) };
    let authority = SecretKey::new(secret, CA_CERTIFICATE);
    Secrets::new(world, harbor.namespace).checked(&authority, pem_certificates).map(drop)
}
