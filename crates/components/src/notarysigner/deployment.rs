//! The Deployment of a NotarySigner.

use super::{
    NotarySigner,
    inputs::Inputs,
    secret::FILE,
    service::{PORT, PORT_NUMBER},
};
use crate::{
    notary,
    pods::{Strategy, Workload, container_port, file_mount, secret_volume, tcp_probe},
};
use k8s_openapi::api::core::v1::{Container, EnvFromSource, Probe, SecretEnvSource};
use plan::{Component, Desired};

/// Directory the settings are in.
pub(super) const DIRECTORY: &str = "/etc/notary-signer";

const CONFIG: &str = "config";

/// Time a start may take, migration included, in probes ten seconds apart: ten minutes.
const STARTUP_PROBES: i32 = 60;

/// The Deployment. Waits for the Secret its settings are in.
pub(super) fn deployment(notary: &Inputs<'_>) -> Desired {
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

fn container(notary: &Inputs<'_>) -> Container {
    let spec = notary.spec;
    let migration = spec.migration_enabled;
    let settings = format!("{DIRECTORY}/{FILE}");
    // It answers nobody without a certificate, which the kubelet has not.
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

/// All passwords, also those that keys were once encrypted with.
fn passwords(secret: &str) -> EnvFromSource {
    EnvFromSource {
        prefix: Some("NOTARY_SIGNER_".into()),
        secret_ref: Some(SecretEnvSource { name: secret.into(), optional: Some(false) }),
        ..EnvFromSource::default()
    }
}
