//! Harbor: one object that becomes a running registry, on top of a database, a Redis and a storage that exist.
//!
//! Every component is an object of its own, with a controller of its own; here is who waits for whom. JobService and the
//! exporter need a running Core, an Ingress needs somebody behind it, and nobody starts before its credentials and
//! certificates are there.

mod certificates;
mod claims;
mod credentials;
mod databases;
mod expose;
mod inputs;
mod internal_tls;
mod network_policies;
mod part;
mod parts;
#[cfg(test)]
mod tests;
mod upgrade;

use self::{
    certificates::Makers, claims::Claims, credentials::Credentials, expose::FrontParts, inputs::Inputs,
    part::Part,
};
use crate::availability;
use api::{
    thirdparty::{
        cert_manager::{Certificate, Issuer},
        gateway::HTTPRoute,
    },
    v1beta1::{
        self, ChartMuseum, Core, Exporter, JobService, NotaryServer, NotarySigner, Portal, Registry,
        RegistryController, Trivy,
    },
};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, PersistentVolumeClaim, Secret, Service},
    networking::v1::{Ingress, NetworkPolicy},
};
use plan::{All, Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::Harbor`].
pub struct Harbor;

impl Component for Harbor {
    type Owner = v1beta1::Harbor;

    const NAME: &'static str = "harbor";

    fn children() -> Children {
        availability::children(Children::none())
            .and::<Issuer>()
            .and::<Certificate>()
            .and::<Secret>()
            .and::<PersistentVolumeClaim>()
            .and::<Registry>()
            .and::<RegistryController>()
            .and::<Core>()
            .and::<JobService>()
            .and::<Portal>()
            .and::<ChartMuseum>()
            .and::<Exporter>()
            .and::<NotaryServer>()
            .and::<NotarySigner>()
            .and::<Trivy>()
            .and::<Ingress>()
            .and::<HTTPRoute>()
            .and::<NetworkPolicy>()
            .and::<Service>()
            .and::<ConfigMap>()
            .and::<Deployment>()
    }

    fn desired(owner: &v1beta1::Harbor, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let harbor = Inputs::of(owner, world.defaults())?;
        let front = FrontParts::of(&harbor);
        let ((), makers, route, front, claims) = (
            upgrade::allowed(&harbor, world),
            Makers::of(&harbor, world),
            expose::route(&harbor, world),
            front.front(&harbor, &owner.metadata, world),
            Claims::of(&harbor, world),
        )
            .all()?;

        let claims = claims.add(&harbor, graph);
        let credentials = Credentials::of(&harbor);
        let made = credentials.add(&harbor, graph);
        let internal = certificates::internal(&harbor, &makers, graph);
        let tls = |graph: &mut _, part| internal.as_ref().map(|it| it.certificate(graph, part));
        let token = certificates::token(&harbor, &makers, graph);
        let public = certificates::public(&harbor, graph);

        let certificate = tls(graph, Part::Registry);
        graph.add::<Registry>(
            parts::registry(&harbor, &credentials),
            (certificate, made.registry, made.registry_http, claims.clone()),
        );
        let certificate = tls(graph, Part::RegistryController);
        graph.add::<RegistryController>(
            parts::registry_controller(&harbor, &credentials),
            (certificate, made.core, made.jobservice),
        );
        let core_certificate = tls(graph, Part::Core);
        let keys = (made.csrf, made.core, made.encryption, made.registry, made.jobservice);
        let core =
            graph.add::<Core>(parts::core(&harbor, &credentials), (core_certificate, token, public, keys));
        let certificate = tls(graph, Part::JobService);
        graph.add::<JobService>(
            parts::jobservice(&harbor, &credentials),
            (core, certificate, made.core, made.jobservice, claims.clone()),
        );
        let portal = parts::portal(&harbor).map(|portal| {
            let certificate = tls(graph, Part::Portal);
            graph.add::<Portal>(portal, certificate)
        });
        if let Some(chartmuseum) = parts::chartmuseum(&harbor, &credentials) {
            let certificate = tls(graph, Part::ChartMuseum);
            graph.add::<ChartMuseum>(chartmuseum, (certificate, made.core, claims.clone()));
        }
        if let Some(exporter) = parts::exporter(&harbor, &credentials) {
            let certificate = tls(graph, Part::Exporter);
            graph.add::<Exporter>(exporter, (core, certificate));
        }
        if let Some(trivy) = parts::trivy(&harbor) {
            let certificate = tls(graph, Part::Trivy);
            graph.add::<Trivy>(trivy, (certificate, public, claims));
        }
        let notary = certificates::notary(&harbor, &makers, graph);
        if let Some(signer) = parts::notary_signer(&harbor, &credentials) {
            graph.add::<NotarySigner>(signer, (notary.map(|(_, signer)| signer), made.notary_aliases));
        }
        let notary_server = parts::notary_server(&harbor).map(|server| {
            let certificate = tls(graph, Part::NotaryServer);
            graph.add::<NotaryServer>(server, (certificate, notary.map(|(server, _)| server), token))
        });

        if let Some(ingress) = expose::core_ingress(&harbor) {
            graph.add::<Ingress>(ingress, (core, portal));
        }
        if let Some(front) = front {
            graph.add::<Service>(front.service(), ());
            let config = graph.add::<ConfigMap>(front.config_map(), ());
            graph.add::<Deployment>(front.deployment(), (config, public, core_certificate, core, portal));
            availability::add(graph, &front.instance);
        }
        if let Some(route) = route {
            graph.add::<HTTPRoute>(route, (core, portal));
        }
        if let Some(ingress) = expose::notary_ingress(&harbor) {
            graph.add::<Ingress>(ingress, notary_server);
        }
        for policy in network_policies::policies(&harbor) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        Ok(())
    }
}
