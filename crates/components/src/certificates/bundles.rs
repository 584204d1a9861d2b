//! Deployments whose images append authorities to a bundle when they start.
//!
//! The images do so with `cat`. If a file does not end with a line break, its last line and the first line of
//! the next file become one line, and Go then finds neither certificate. Users cannot always correct that:
//! other controllers write such Secrets. The operator mounts a corrected copy of these authorities from a
//! ConfigMap, and all others from their Secrets.

use super::authorities::CA_CERTIFICATE;
use crate::{
    pods::{Instance, projected_volume},
    secrets::{SecretKey, Secrets},
};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, SecretVolumeSource, Volume},
};
use pki::Bundle;
use plan::{All, Builder, Deps, Desired, Digest, Node, PlanError, World};
use std::collections::BTreeMap;

/// Adds a Deployment, and a corrected copy of the authorities that its image could not append. The authorities
/// have been validated before.
pub(crate) fn add_deployment<'g>(
    graph: &mut Builder<'g>,
    instance: &Instance<'_>,
    mut pods: Desired,
    after: impl Deps<'g>,
    world: &World<'_>,
) -> Result<Node<'g, Deployment>, PlanError> {
    let copies = Copies::of(instance, &pods, &Secrets::new(world, instance.namespace))?;
    copies.mount(&mut pods);
    let copies = copies.config_map(instance).map(|copies| graph.add::<ConfigMap>(copies, ()));
    Ok(graph.add::<Deployment>(pods, (after, copies)))
}

/// Corrected authorities, by the name of their Secret.
struct Copies {
    name: String,
    authorities: BTreeMap<String, String>,
}

impl Copies {
    fn of(instance: &Instance<'_>, pods: &Desired, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let copied = |secret: String| {
            let text = secrets.value(&SecretKey::new(&secret, CA_CERTIFICATE))?;
            let bundle = Bundle::parse(text.bytes()).ok().filter(|bundle| !bundle.is_tidy());
            Ok(bundle.map(|bundle| (secret, bundle.to_pem())))
        };
        let trusted = volumes_of(pods).filter_map(authority_of).map(str::to_owned);
        let authorities = trusted.map(copied).collect::<Vec<_>>().all()?;
        let name = format!("{}-authorities", instance.name);
        Ok(Self { name, authorities: authorities.into_iter().flatten().collect() })
    }

    fn config_map(&self, instance: &Instance<'_>) -> Option<ConfigMap> {
        (!self.authorities.is_empty()).then(|| ConfigMap {
            metadata: instance.metadata(&*self.name),
            data: Some(self.authorities.clone()),
            ..ConfigMap::default()
        })
    }

    /// Mounts the copy of each authority, and all other files from their Secrets.
    fn mount(&self, pods: &mut Desired) {
        let Some(pod) = pods.object.pod_template_mut().and_then(|template| template.spec.as_mut()) else {
            return;
        };
        let mut renamed = BTreeMap::new();
        for volume in pod.volumes.iter_mut().flatten() {
            let Some(secret) = authority_of(volume).filter(|secret| self.authorities.contains_key(*secret))
            else {
                continue;
            };
            let others = files(volume).filter(|(key, _)| *key != CA_CERTIFICATE).collect::<Vec<_>>();
            let copy = (self.name.as_str(), secret, CA_CERTIFICATE);
            let name = new_name(&volume.name);
            let corrected = projected_volume(&name, (secret, &others), copy);
            renamed.insert(std::mem::replace(volume, corrected).name, name);
        }
        let containers = pod.init_containers.iter_mut().flatten().chain(&mut pod.containers);
        for mount in containers.flat_map(|container| container.volume_mounts.iter_mut().flatten()) {
            if let Some(name) = renamed.get(&mount.name) {
                mount.name.clone_from(name);
            }
        }
    }
}

/// Another name for a volume of another type: the API server adds defaults to the source of a volume, which
/// stay when the operator removes that source, and it refuses a volume with two sources.
fn new_name(volume: &str) -> String {
    format!("authority-{}", Digest::of_bytes(volume.as_bytes()))
}

fn volumes_of(pods: &Desired) -> impl Iterator<Item = &Volume> {
    let pod = pods.object.pod_template().and_then(|template| template.spec.as_ref());
    pod.and_then(|pod| pod.volumes.as_ref()).into_iter().flatten()
}

/// The Secret with an authority that a volume mounts. An optional volume holds a file to download, not an
/// authority.
fn authority_of(volume: &Volume) -> Option<&str> {
    let SecretVolumeSource { secret_name, optional: None, .. } = volume.secret.as_ref()? else { return None };
    files(volume).any(|(key, _)| key == CA_CERTIFICATE).then_some(secret_name.as_deref()?)
}

fn files(volume: &Volume) -> impl Iterator<Item = (&str, &str)> {
    let items = volume.secret.as_ref().and_then(|secret| secret.items.as_ref());
    items.into_iter().flatten().map(|item| (item.key.as_str(), item.path.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::{
        cases::{CERTIFICATE, Case},
        core::Core,
        registry::Registry,
        trivy::Trivy,
    };
    use plan::Component;
    use serde_json::Value;

    fn config_maps<C: Component>(case: &Case<C>) -> Vec<Value> {
        case.children().into_iter().filter(|child| child["kind"] == "ConfigMap").collect()
    }

    #[test]
    fn an_authority_that_is_in_order_is_mounted_from_its_secret() {
        for case in ["full", "tls", "rediss"].map(Case::<Core>::golden) {
            assert_eq!(config_maps(&case).len(), 1, "only its settings");
            assert!(!case.child("Deployment").to_string().contains("\"authority-"));
        }
    }

    #[test]
    fn a_key_beside_an_authority_stays_in_its_secret() {
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        let text = format!("{key}{}", CERTIFICATE.trim_end());
        let case = Case::<Core>::golden("full").with("corporate-ca", "ca.crt", text);
        let copies = config_maps(&case).pop().unwrap();
        assert_eq!(copies["metadata"]["name"], "harbor-core-authorities");
        assert_eq!(copies["data"], serde_json::json!({ "corporate-ca": CERTIFICATE }));
    }

    #[test]
    fn certificates_that_cannot_be_read_are_refused_with_secret_and_key() {
        const BROKEN: &str = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let refused = |error: String, secret: &str, key: &str| {
            let expected =
                format!("Secret registry/{secret}, key `{key}`: certificate 1 in it cannot be read");
            assert!(error.contains(&expected), "{error}");
        };
        for (case, secret) in [("full", "corporate-ca"), ("rediss", "redis-ca")] {
            refused(Case::<Core>::golden(case).with(secret, "ca.crt", BROKEN).error(), secret, "ca.crt");
        }
        for key in ["tls.crt", "ca.crt"] {
            let case = Case::<Core>::golden("tls").with("core-internal-tls", key, BROKEN);
            refused(case.error(), "core-internal-tls", key);
        }
        refused(Case::<Registry>::golden("full").with("s3-ca", "ca.crt", BROKEN).error(), "s3-ca", "ca.crt");
        let callers = Case::<Trivy>::golden("tls").with("auditors", "ca.crt", BROKEN);
        refused(callers.error(), "auditors", "ca.crt");
    }
}
