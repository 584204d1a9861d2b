//! Harbor: one object for a whole Harbor that uses an existing database, Redis and storage.
//!
//! Every component is an object of its own; this file says which of them waits for which. The operator creates
//! JobService and the exporter once Core is available, an Ingress once the components behind it are available,
//! and every component after its credentials and certificates. It upgrades Core first, because Core migrates
//! the database, and then all others. JobService has neither jobs nor pods while the database is migrated.
//!
//! Uses: certificates, connections, core, data, exposure, front, management, nginx, observability, pods, registrycontroller, secrets, values, versions.

mod certificates;
mod claims;
mod credentials;
mod databases;
mod expose;
mod internal_tls;
mod network_policies;
mod part;
mod parts;
mod quiet;
mod relocation;
mod rotation;
#[cfg(test)]
mod tests;
mod upgrade;
mod validated;

pub(crate) use self::{expose::advice, parts::store_of_images};

use self::{
    claims::Claims,
    expose::FrontObjects,
    part::Part,
    rotation::{Rotation, Turns},
    upgrade::Upgrade,
    validated::Validated,
};
use crate::{certificates::Presence, connections::postgres_advice, management, pods::availability_children};
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
    batch::v1::{CronJob, Job},
    core::v1::{ConfigMap, PersistentVolumeClaim, Secret, Service},
    networking::v1::{Ingress, NetworkPolicy},
};
use plan::{
    All, Announcement, Builder, Children, Component, Conclusion, Connect, Outlook, PlanError, Violation,
    World, starts_after, upgrades_after,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::Harbor`].
pub struct Harbor;

impl Component for Harbor {
    type Owner = v1beta1::Harbor;

    const NAME: &'static str = "harbor";
    const CONNECT: Connect = management::connection;

    fn advice(owner: &v1beta1::Harbor) -> Vec<Violation> {
        let database = postgres_advice(&owner.spec.database, "spec.database");
        expose::advice(&owner.spec.installation).into_iter().chain(database).collect()
    }

    fn details(_: &v1beta1::Harbor, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        rotation::details(conclusion)
    }

    fn news(_: &v1beta1::Harbor, conclusion: &Conclusion<'_>) -> Vec<Announcement> {
        rotation::news(conclusion)
    }

    fn installed_version(owner: &v1beta1::Harbor) -> Option<&str> {
        Some(&owner.spec.installation.version)
    }

    fn children() -> Children {
        availability_children(Children::none())
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
            .and::<Job>()
            .awaiting::<CronJob>()
            .and_external_at_times()
    }

    #[allow(clippy::too_many_lines, reason = "it lists each child once, in order")]
    fn desired(owner: &v1beta1::Harbor, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (wanted, known) = wanted(owner, world)?;
        let (upgrade, (issuers, turns), _, route, front, presence, claims) = (
            Upgrade::of(&wanted, world),
            Turns::with_issuers(&wanted, world),
            (known, relocation::allowed(owner, &wanted, world)).all(),
            expose::route(&wanted, world),
            expose::front(&wanted, &owner.metadata, world),
            expose::certificates(&wanted, world),
            Claims::of(&wanted, world),
        )
            .all()?;
        let harbor = upgrade.now();
        let rotation = Rotation::of(turns, harbor, &upgrade, &issuers, world)?;
        let (front, front_before) = fronts(front, &upgrade, owner, world)?;

        let claims = claims.add(harbor, graph);
        let generated = rotation.newest().add(harbor, &rotation, graph);
        let during = rotation.secrets(harbor).map(|it| graph.add::<Secret>(it, ())).collect::<Vec<_>>();
        let credentials = |part| rotation.credentials(part, harbor);
        let internal = certificates::internal(harbor, &issuers, &rotation, graph);
        let tls = |graph: &mut _, part| internal.as_ref().map(|it| it.certificate(graph, part));
        let token = certificates::token(harbor, &issuers, &rotation, graph);
        let public = certificates::public(harbor, graph);

        let core_certificate = tls(graph, Part::Core);
        let keys =
            (generated.csrf, generated.core, generated.encryption, generated.registry, generated.jobservice);
        let core = graph.add::<Core>(
            rotation.core(upgrade.core(parts::core(harbor, &credentials(Part::Core)))),
            (core_certificate, token, public, keys),
        );
        let certificate = tls(graph, Part::Registry);
        graph.add::<Registry>(
            upgrade.part(|harbor| parts::registry(harbor, &credentials(Part::Registry))),
            (
                certificate,
                (generated.registry, generated.registry_http, during.as_slice()),
                claims.clone(),
                upgrades_after(core),
            ),
        );
        let certificate = tls(graph, Part::RegistryController);
        graph.add::<RegistryController>(
            upgrade.part(|harbor| parts::registry_controller(harbor, &credentials(Part::RegistryController))),
            (certificate, generated.core, generated.jobservice, upgrades_after(core)),
        );
        let certificate = tls(graph, Part::JobService);
        graph.add::<JobService>(
            upgrade.jobservice(|harbor| parts::jobservice(harbor, &credentials(Part::JobService))),
            (
                certificate,
                generated.core,
                generated.jobservice,
                claims.clone(),
                starts_after(core),
                upgrades_after(core),
            ),
        );
        upgrade.quiet().add(harbor, graph)?;
        let portal = upgrade.optional(parts::portal).map(|portal| {
            let certificate = tls(graph, Part::Portal);
            graph.add::<Portal>(portal, (certificate, upgrades_after(core)))
        });
        if let Some(chartmuseum) =
            upgrade.optional(|harbor| parts::chartmuseum(harbor, &credentials(Part::ChartMuseum)))
        {
            let certificate = tls(graph, Part::ChartMuseum);
            let generated = (generated.core, claims.clone());
            graph.add::<ChartMuseum>(chartmuseum, (certificate, generated, upgrades_after(core)));
        }
        if let Some(exporter) =
            upgrade.optional(|harbor| parts::exporter(harbor, &credentials(Part::Exporter)))
        {
            let certificate = tls(graph, Part::Exporter);
            graph.add::<Exporter>(exporter, (certificate, starts_after(core), upgrades_after(core)));
        }
        if let Some(trivy) = upgrade.optional(parts::trivy) {
            let certificate = tls(graph, Part::Trivy);
            graph.add::<Trivy>(trivy, (certificate, public, claims, upgrades_after(core)));
        }
        let notary = certificates::notary(harbor, &issuers, graph);
        if let Some(signer) =
            upgrade.optional(|harbor| parts::notary_signer(harbor, &credentials(Part::NotarySigner)))
        {
            let certificate = notary.map(|(_, signer)| signer);
            graph.add::<NotarySigner>(signer, (certificate, generated.notary_aliases, upgrades_after(core)));
        }
        let notary_server = upgrade
            .optional(|harbor| parts::notary_server(harbor, &credentials(Part::NotaryServer)))
            .map(|server| {
                let certificates = (tls(graph, Part::NotaryServer), notary.map(|(server, _)| server));
                graph.add::<NotaryServer>(server, (certificates, token, upgrades_after(core)))
            });

        upgrade.add_backup(graph);

        if let Some(ingress) = expose::core_ingress(harbor) {
            // Core waits for the certificate, for which cert-manager may wait for an annotated Ingress.
            let behind = (presence == Presence::Present).then_some((core, portal));
            graph.add::<Ingress>(ingress, starts_after(behind));
        }
        if let Some(FrontObjects { service, config_map, deployment, availability }) = front {
            let (config_before, deployment_before) =
                front_before.map(|before| (before.config_map, before.deployment)).unzip();
            graph.add::<Service>(service, ());
            let config =
                graph.add::<ConfigMap>(upgrade.object(config_map, config_before), upgrades_after(core));
            graph.add::<Deployment>(
                upgrade.object(deployment, deployment_before),
                (config, public, core_certificate, starts_after((core, portal)), upgrades_after(core)),
            );
            availability.add(graph);
        }
        if let Some(route) = route {
            graph.add::<HTTPRoute>(route, starts_after((core, portal)));
        }
        if let Some(ingress) = expose::notary_ingress(harbor) {
            graph.add::<Ingress>(ingress, starts_after(notary_server));
        }
        for policy in network_policies::policies(harbor) {
            graph.add::<NetworkPolicy>(policy, ());
        }
        Ok(())
    }

    fn outlook(owner: &v1beta1::Harbor, world: &World<'_>) -> Result<Outlook, PlanError> {
        let (wanted, known) = wanted(owner, world)?;
        known?;
        let outlook =
            Outlook { certificate: expose::served(&wanted, world)?, ..upgrade::outlook(&wanted, world)? };
        let (upgrade, (issuers, turns)) =
            (Upgrade::of(&wanted, world)?, Turns::with_issuers(&wanted, world)?);
        let harbor = upgrade.now();
        let rotation = Rotation::of(turns, harbor, &upgrade, &issuers, world)?;
        Ok(rotation.add_to(outlook, harbor))
    }
}

/// The Harbor of the spec with the certificates that its components have now, and whether these are known already: what does not
/// depend on them is read at the same time.
fn wanted<'a>(
    owner: &'a v1beta1::Harbor,
    world: &World<'_>,
) -> Result<(Validated<'a>, Result<(), PlanError>), PlanError> {
    let wanted = Validated::of(owner, world.defaults())?;
    Ok(match rotation::current_certificates(&wanted, world) {
        Ok(certificates) => (wanted.with_certificates(certificates), Ok(())),
        Err(unread) => (wanted, Err(unread)),
    })
}

/// The reverse proxy at the version that Core gets now, and at the one before, if its version changes. `wanted` is the one of
/// the spec.
fn fronts(
    wanted: Option<FrontObjects>,
    upgrade: &Upgrade<'_>,
    owner: &v1beta1::Harbor,
    world: &World<'_>,
) -> Result<(Option<FrontObjects>, Option<FrontObjects>), PlanError> {
    let front = |harbor| expose::front(harbor, &owner.metadata, world);
    let now = if upgrade.is_at_wanted() { wanted } else { front(upgrade.now())? };
    Ok((now, upgrade.before().map(front).transpose()?.flatten()))
}
