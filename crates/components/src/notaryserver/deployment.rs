//! The Deployment of a NotaryServer.

use super::{
    NotaryServer,
    secret::FILE,
    service::{CONTAINER_PORT, PORT},
    validated::Validated,
};
use crate::{
    notary,
    pods::{Strategy, Workload, container_port, file_mount, http_probe, secret_volume, tcp_probe},
};
use k8s_openapi::api::core::v1::{Container, Probe};
use plan::{Component, Desired};

/// Directory of the settings.
pub(super) const DIRECTORY: &str = "/etc/notary-server";

const CONFIG: &str = "config";

/// How long a start may take, including the migration, in probes ten seconds apart: ten minutes.
const STARTUP_PROBES: i32 = 60;

/// The Deployment. It waits for the Secret with the settings.
pub(super) fn deployment(notary: &Validated<'_>) -> Desired {
    let certificates = || [notary.signer, notary.tls, notary.token].into_iter().flatten();
    let settings = secret_volume(CONFIG, &notary.instance.name, &[(FILE, FILE)]);
    let path = format!("{DIRECTORY}/{FILE}");
    let mut container = container(notary, &path);
    container.volume_mounts = Some(
        std::iter::once(file_mount(CONFIG, FILE, path))
            .chain(certificates().map(|certificates| certificates.mount(DIRECTORY)))
            .collect(),
    );
    Workload {
        instance: &notary.instance,
        containers: vec![(container, &notary.spec.component)],
        volumes: std::iter::once(settings).chain(certificates().map(|it| it.volume())).collect(),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(notary: &Validated<'_>, settings: &str) -> Container {
    let spec = notary.spec;
    let migration = spec.migration_enabled;
    Container {
        name: NotaryServer::NAME.into(),
        image: Some(notary.instance.image("notary-server-photon")),
        command: Some(vec!["/bin/sh".into()]),
        args: Some(notary::command("notary-server", settings, migration)),
        env: Some(notary::environment("server", &notary.instance, migration).into())
            .filter(|env: &Vec<_>| !env.is_empty()),
        ports: Some(vec![container_port(PORT, CONTAINER_PORT)]),
        startup_probe: Some(Probe { failure_threshold: Some(STARTUP_PROBES), ..tcp_probe(PORT) }),
        // Its health endpoint also checks the database and the signer, which a restart would not repair.
        liveness_probe: Some(Probe { failure_threshold: Some(3), ..tcp_probe(PORT) }),
        readiness_probe: Some(Probe {
            failure_threshold: Some(3),
            ..http_probe("/_notary_server/health", PORT, notary.scheme())
        }),
        ..Container::default()
    }
}
