//! Certificates for users that the spec names.

use super::super::{certificates::public_secret, validated::Validated};
use crate::{
    certificates::{Presence, serving_certificate},
    secrets::Secrets,
};
use api::v1beta1::expose::{HarborExposeComponentSpec, HarborExposeCoreSpec};
use k8s_openapi::api::core::v1::Secret;
use plan::{All, ObjectKey, PlanError, ServedCertificate, World};

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
    let core = named(&expose.core.component).filter(|_| is_served(&expose.core));
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

/// The certificate that clients of Core and the portal see, unless a Gateway serves its own. Reads no other Secret than
/// [`certificates`].
pub(in super::super) fn served(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Option<ServedCertificate>, PlanError> {
    let core = &harbor.installation.expose.core;
    let Some(name) = public_secret(harbor).filter(|_| is_served(core)) else { return Ok(None) };
    let held = named(&core.component).map(|name| world.read::<Secret>(name)).transpose()?.flatten();
    let chain = held.and_then(|secret| String::from_utf8(secret.data?.remove("tls.crt")?.0).ok());
    let expires = chain.and_then(|chain| pki::expires(&chain));
    Ok(Some(ServedCertificate { secret: ObjectKey::of::<Secret>(harbor.namespace, &name), expires }))
}

/// Whether an Ingress or the reverse proxy serves the certificate.
fn is_served(core: &HarborExposeCoreSpec) -> bool {
    core.component.ingress.is_some() || core.service.is_some()
}

fn named(exposed: &HarborExposeComponentSpec) -> Option<&str> {
    exposed.tls.as_ref()?.certificate_ref.as_deref()
}
