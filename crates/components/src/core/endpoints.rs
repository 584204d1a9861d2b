//! The URLs of Core and of the components that it calls over HTTP.

use crate::{connections::Url, pods::Environment};
use api::v1beta1::CoreSpec;
use plan::{All, PlanError};

/// Validated URLs. Core ignores a URL that it cannot parse, and looks healthy.
pub(super) struct Endpoints<'a> {
    external: Url<'a>,
    job_service: Url<'a>,
    portal: Url<'a>,
    registry: Url<'a>,
    registry_controller: Url<'a>,
    token_service: Url<'a>,
    /// The adapter that implements Harbor's scanner API.
    pub trivy: Option<Url<'a>>,
    /// The Notary server.
    pub notary: Option<Url<'a>>,
    /// ChartMuseum.
    pub charts: Option<Url<'a>>,
}

impl<'a> Endpoints<'a> {
    /// The URLs of a spec.
    pub fn of(spec: &'a CoreSpec) -> Result<Self, PlanError> {
        let components = &spec.components;
        let registry = &components.registry.access;
        let url = |url: &'a String, field: &str| Url::parse(url, format_args!("spec.components.{field}"));
        let some = |text: Option<&'a String>, field: &str| text.map(|text| url(text, field)).transpose();
        let (trivy, notary) = (components.trivy.as_ref(), components.notary_server.as_ref());
        let charts = components.chart_repository.as_ref();
        let (
            external,
            job_service,
            portal,
            registry,
            registry_controller,
            token_service,
            trivy,
            notary,
            charts,
            _,
        ) = (
            Url::parse(&spec.external_endpoint, "spec.externalEndpoint"),
            url(&components.job_service.url, "jobService.url"),
            url(&components.portal.url, "portal.url"),
            url(&registry.url, "registry.url"),
            url(&registry.controller_url, "registry.controllerURL"),
            url(&components.token_service.url, "tokenService.url"),
            some(trivy.map(|trivy| &trivy.adapter_url), "trivy.adapterURL"),
            some(notary.map(|notary| &notary.url), "notaryServer.url"),
            some(charts.map(|charts| &charts.url), "chartRepository.url"),
            // Only the adapter calls the scanner.
            some(trivy.map(|trivy| &trivy.url), "trivy.url"),
        )
            .all()?;
        Ok(Self {
            external,
            job_service,
            portal,
            registry,
            registry_controller,
            token_service,
            trivy,
            notary,
            charts,
        })
    }

    /// The URLs of the components that every Harbor has.
    pub fn environment(&self) -> Environment {
        Environment::default()
            .with("EXT_ENDPOINT", self.external)
            .with("JOBSERVICE_URL", self.job_service)
            .with("PORTAL_URL", self.portal)
            .with("REGISTRY_URL", self.registry)
            .with("REGISTRY_CONTROLLER_URL", self.registry_controller)
            .with("TOKEN_SERVICE_URL", self.token_service)
    }

    /// Hosts inside the cluster.
    pub fn siblings(&self) -> impl Iterator<Item = &'a str> {
        let always =
            [self.job_service, self.portal, self.registry, self.registry_controller, self.token_service];
        let sometimes = [self.trivy, self.notary, self.charts];
        always.into_iter().chain(sometimes.into_iter().flatten()).map(|url| url.host)
    }
}
