//! ChartMuseum.

use super::{
    super::{credentials::Credentials, databases::RedisDatabase, part::Part, validated::Validated},
    storage,
};
use api::v1beta1::{
    self, ChartMuseumSpec,
    chartmuseum::{
        ChartMuseumAuthenticationSpec, ChartMuseumCacheSpec, ChartMuseumChartSpec, ChartMuseumLogSpec,
        ChartMuseumServerSpec, chart::ChartMuseumIndexSpec,
    },
    installation::{HarborLogLevel, components::HarborChartMuseumSpec},
};

/// ChartMuseum, if the user requests one.
pub(in super::super) fn chartmuseum(
    harbor: &Validated<'_>,
    credentials: &Credentials,
) -> Option<v1beta1::ChartMuseum> {
    let installation = harbor.installation;
    let HarborChartMuseumSpec { component, certificates, absolute_url } =
        installation.chartmuseum.as_ref()?;
    let store = harbor.spec.image_chart_storage.object_store.s3.as_ref();
    let mut certificates = harbor.authorities(Some(certificates));
    certificates.certificate_refs.extend(store.and_then(|s3| s3.certificate_ref.clone()).map(String::from));
    let spec = ChartMuseumSpec {
        component: harbor.pods(Part::ChartMuseum, Some(component)),
        certificates,
        chart: ChartMuseumChartSpec {
            storage: storage::of_charts(&harbor.spec.image_chart_storage),
            url: absolute_url.then(|| format!("{}/chartrepo", harbor.external_url())),
            allow_overwrite: true,
            only_semver2: false,
            index: Some(ChartMuseumIndexSpec { parallel_limit: Some(0), ..ChartMuseumIndexSpec::default() }),
            repo: None,
            post_form_field_name: None,
        },
        authentication: Some(ChartMuseumAuthenticationSpec {
            basic_auth_ref: Some(credentials.core.name()),
            ..ChartMuseumAuthenticationSpec::default()
        }),
        cache: Some(ChartMuseumCacheSpec { redis: Some(harbor.redis(RedisDatabase::ChartMuseum)) }),
        disable: None,
        log: Some(ChartMuseumLogSpec {
            debug: installation.log_level == HarborLogLevel::Debug,
            json: true,
            ..ChartMuseumLogSpec::default()
        }),
        server: Some(ChartMuseumServerSpec {
            tls: harbor.tls(Part::ChartMuseum),
            ..ChartMuseumServerSpec::default()
        }),
        network: installation.network.clone(),
    };
    Some(v1beta1::ChartMuseum { metadata: harbor.component_metadata(), spec, status: None })
}
