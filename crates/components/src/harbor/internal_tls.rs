//! Certificates of components that the user names, instead of having them issued.

use super::part::Part;
use api::v1beta1::{
    ObjectName,
    installation::{InstallationSpec, InternalCertificatesSpec},
};
use plan::{All, PlanError};

const FIELD: &str = "spec.internalTLS.certificates";

/// Whether the user names certificates.
pub(super) fn is_given(installation: &InstallationSpec) -> bool {
    installation.internal_tls.as_ref().is_some_and(|tls| tls.enabled && tls.certificates.is_some())
}

/// The Secret that the user names for a part. The exporter is served in clear text and only needs the authority
/// of Core.
pub(super) fn given(installation: &InstallationSpec, part: Part) -> Option<&ObjectName> {
    let InternalCertificatesSpec {
        core,
        jobservice,
        registry,
        registryctl,
        portal,
        trivy,
        chartmuseum,
        notaryserver,
    } = installation.internal_tls.as_ref()?.certificates.as_ref()?;
    match part {
        Part::Core | Part::Exporter => core.as_ref(),
        Part::JobService => jobservice.as_ref(),
        Part::Registry => registry.as_ref(),
        Part::RegistryController => registryctl.as_ref().or(registry.as_ref()),
        Part::Portal => portal.as_ref(),
        Part::Trivy => trivy.as_ref(),
        Part::ChartMuseum => chartmuseum.as_ref(),
        Part::NotaryServer => notaryserver.as_ref(),
        Part::NotarySigner | Part::Nginx => None,
    }
}

/// Refuses certificates for some components only: a component trusts the authority of its own certificate, so
/// none would trust a certificate that the operator issued.
pub(super) fn complete(installation: &InstallationSpec) -> Result<(), PlanError> {
    if !is_given(installation) {
        return Ok(());
    }
    let required = |part: Part| match given(installation, part) {
        Some(_) => Ok(()),
        None => Err(PlanError::invalid(
            format_args!("{FIELD}.{}", part.name()),
            "is not set, although certificates of other components are",
            format!("name a TLS Secret, or remove {FIELD} to have all of them issued"),
        )),
    };
    let optional = [
        installation.portal.as_ref().map(|_| Part::Portal),
        installation.trivy.as_ref().map(|_| Part::Trivy),
        installation.chartmuseum.as_ref().map(|_| Part::ChartMuseum),
        installation.notary.as_ref().map(|_| Part::NotaryServer),
    ];
    let installed = [Part::Core, Part::JobService, Part::Registry].into_iter();
    installed.chain(optional.into_iter().flatten()).map(required).collect::<Vec<_>>().all().map(drop)
}
