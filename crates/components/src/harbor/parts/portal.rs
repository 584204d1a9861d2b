//! The portal.

use super::super::{part::Part, validated::Validated};
use api::v1beta1::{self, PortalSpec, installation::components::HarborPortalSpec};

/// The portal, if the user requests one.
pub(in super::super) fn portal(harbor: &Validated<'_>) -> Option<v1beta1::Portal> {
    let HarborPortalSpec { component, service } = harbor.installation.portal.as_ref()?;
    let spec = PortalSpec {
        component: harbor.pods(Part::Portal, Some(component)),
        service: service.clone(),
        strong_ciphers: harbor.strong_ciphers(),
        tls: harbor.tls(Part::Portal),
        network: harbor.installation.network.clone(),
        ..PortalSpec::default()
    };
    Some(v1beta1::Portal { metadata: harbor.exposed_metadata(), spec, status: None })
}
