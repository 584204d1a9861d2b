//! Certificates for users that the spec names.

use super::super::validated::Validated;
use crate::{
    certificates::{Presence, serving_certificate},
    secrets::Secrets,
};
use api::v1beta1::expose::HarborExposeComponentSpec;
use plan::{All, PlanError, World};

/// Whether the certificate of Core and the portal exists, or why it or that of Notary is invalid.
///
/// With an invalid certificate, ingress controllers serve their own and only log it.
pub(in super::super) fn certificates(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Presence, PlanError> {
    let installation = harbor.installation;
    let expose = &installation.expose;
    let secrets = Secrets::new(world, harbor.namespace);
    let core = named(&expose.core.component)
        .filter(|_| expose.core.component.ingress.is_some() || expose.core.service.is_some());
    let core = core.map_or(Ok(Presence::Present), |secret| match serving_certificate(secret, &secrets)? {
        // The reverse proxy does not start without it.
        Presence::Awaited if expose.core.service.is_some() => {
            secrets.filled(secret).map(|()| Presence::Present)
        }
        presence => Ok(presence),
    });
    let notary = expose.notary.as_ref().filter(|notary| notary.ingress.is_some());
    let notary = notary.filter(|_| installation.notary.is_some()).and_then(named);
    let notary = notary.map(|secret| serving_certificate(secret, &secrets)).transpose();
    let (core, _) = (core, notary).all()?;
    Ok(core)
}

fn named(exposed: &HarborExposeComponentSpec) -> Option<&str> {
    exposed.tls.as_ref()?.certificate_ref.as_deref()
}
