//! The portal.

use super::super::{inputs::Inputs, part::Part};
use api::v1beta1::{self, PortalSpec};

/// The portal, where the user wants one.
pub(in super::super) fn portal(harbor: &Inputs<'_>) -> Option<v1beta1::Portal> {
    let wished = harbor.installation.portal.as_ref()?;
    let spec = PortalSpec {
        component: harbor.pods(Part::Portal, Some(&wished.component)),
        service: wished.service.clone(),
        strong_ciphers: harbor.strong_ciphers(),
        tls: harbor.tls(Part::Portal),
        network: harbor.installation.network.clone(),
        ..PortalSpec::default()
    };
    Some(v1beta1::Portal { metadata: harbor.exposed_metadata(), spec, status: None })
}
