//! The exporter.

use super::{
    super::{credentials::Credentials, part::Part, validated::Validated},
    core::database,
    jobservice::queue,
};
use api::v1beta1::{
    self, ExporterSpec,
    exporter::{ExporterCoreSpec, ExporterJobServiceSpec, ExporterLogLevel, ExporterLogSpec},
    installation::{HarborLogLevel, components::HarborExporterSpec},
};

/// The exporter, if the user requests one.
pub(in super::super) fn exporter(
    harbor: &Validated<'_>,
    credentials: &Credentials,
) -> Option<v1beta1::Exporter> {
    let installation = harbor.installation;
    let HarborExporterSpec { component, certificates, endpoint } = installation.exporter.as_ref()?;
    let core = installation.core.clone().unwrap_or_default();
    let spec = ExporterSpec {
        component: harbor.pods(Part::Exporter, Some(component)),
        certificates: harbor.authorities(Some(certificates)),
        core: ExporterCoreSpec { url: harbor.url_with_port(Part::Core) },
        database: database(harbor, credentials, &core),
        jobservice: Some(ExporterJobServiceSpec { redis_pool: Some(queue(harbor)) }),
        endpoint: endpoint.clone(),
        log: Some(ExporterLogSpec { level: level(installation.log_level) }),
        tls: harbor.tls(Part::Exporter),
        network: installation.network.clone(),
    };
    Some(v1beta1::Exporter { metadata: harbor.component_metadata(), spec, status: None })
}

const fn level(level: HarborLogLevel) -> ExporterLogLevel {
    match level {
        HarborLogLevel::Debug => ExporterLogLevel::Debug,
        HarborLogLevel::Info => ExporterLogLevel::Info,
        HarborLogLevel::Warning => ExporterLogLevel::Warning,
        HarborLogLevel::Error => ExporterLogLevel::Error,
        HarborLogLevel::Fatal => ExporterLogLevel::Panic,
    }
}
