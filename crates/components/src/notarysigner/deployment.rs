//! The Deployment of a NotarySigner.

use super::{
    NotarySigner,
    secret::FILE,
    service::{PORT, PORT_NUMBER},
    validated::Validated,
};
use crate::{
    notary,
    pods::{Strategy, Workload, container_port, file_mount, secret_volume, tcp_probe},
};
use k8s_openapi::api::core::v1::{Container, EnvFromSource, Probe, SecretEnvSource};
use plan::{Component, Desired};

/// Directory of the settings.
pub(super) const DIRECTORY: &str = "/etc/notary-signer";

const CONFIG: &str = "config";

/// How long a start may take, including the migration, in probes ten seconds apart: ten minutes.
const STARTUP_PROBES: i32 = 60;

/// The Deployment. It waits for the Secret with the settings.
pub(super) fn deployment(notary: &Validated<'_>) -> Desired {
    let settings = secret_volume(CONFIG, &notary.instance.name, &[(FILE, FILE)]);
    Workload {
        instance: &notary.instance,
        containers: vec![(container(notary), &notary.spec.component)],
        volumes: vec![settings, notary.certificates.volume()],
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(notary: &Validated<'_>) -> Container {
    let spec = notary.spec;
    let migration = spec.migration_enabled;
    let settings = format!("{DIRECTORY}/{FILE}");
    // The signer requires a client certificate, which the kubelet does not have.
    let probe = |failures| Probe { failure_threshold: Some(failures), ..tcp_probe(PORT) };
    Container {
        name: NotarySigner::NAME.into(),
        image: Some(notary.instance.image("notary-signer-photon")),
        command: Some(vec!["/bin/sh".into()]),
        args: Some(notary::command("notary-signer", &settings, migration)),
        env: Some(notary::environment("signer", &notary.instance, migration).into())
            .filter(|env: &Vec<_>| !env.is_empty()),
        env_from: Some(vec![passwords(&spec.storage.aliases_ref)]),
        ports: Some(vec![container_port(PORT, PORT_NUMBER)]),
        volume_mounts: Some(vec![file_mount(CONFIG, FILE, settings), notary.certificates.mount(DIRECTORY)]),
        startup_probe: Some(probe(STARTUP_PROBES)),
        liveness_probe: Some(probe(3)),
        readiness_probe: Some(probe(3)),
        ..Container::default()
    }
}

/// All passwords, including those of keys that were encrypted earlier.
fn passwords(secret: &str) -> EnvFromSource {
    EnvFromSource {
        prefix: Some("NOTARY_SIGNER_".into()),
        secret_ref: Some(SecretEnvSource { name: secret.into(), optional: Some(false) }),
        ..EnvFromSource::default()
    }
}
