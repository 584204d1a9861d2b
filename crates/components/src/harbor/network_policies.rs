//! The network policies of a Harbor: traffic between components, and from outside.
//!
//! Users reach Core, the portal, Notary and the reverse proxy, and Prometheus reaches the metrics ports. Only
//! components of the same Harbor reach all other ports. The portal has no egress.

use super::{part::Part, validated::Validated};
use crate::{observability::METRICS_PORT, pods::pod_selector};
use k8s_openapi::{
    api::networking::v1::{
        NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec,
    },
    apimachinery::pkg::{apis::meta::v1::LabelSelector, util::intstr::IntOrString},
};
use std::collections::BTreeMap;

/// The sources that may connect to a port.
enum From {
    Everybody,
    Siblings(&'static [Part]),
}

/// The policies of the components that are installed.
pub(super) fn policies(harbor: &Validated<'_>) -> Vec<NetworkPolicy> {
    if !harbor.network_policies {
        return Vec::new();
    }
    let ingress = installed(harbor).map(|part| {
        let rules =
            open_ports(harbor, part).into_iter().map(|(port, from)| rule(harbor, port, &from)).collect();
        policy(harbor, part, Direction::Ingress(rules))
    });
    let portal = harbor.installation.portal.as_ref();
    let egress = portal.map(|_| policy(harbor, Part::Portal, Direction::NoEgress));
    ingress.chain(egress).collect()
}

fn installed(harbor: &Validated<'_>) -> impl Iterator<Item = Part> {
    let spec = harbor.installation;
    [
        (Part::Core, true),
        (Part::JobService, true),
        // The registry controller runs in the same pods.
        (Part::Registry, true),
        (Part::Portal, spec.portal.is_some()),
        (Part::ChartMuseum, spec.chartmuseum.is_some()),
        (Part::Exporter, spec.exporter.is_some()),
        (Part::NotaryServer, spec.notary.is_some()),
        (Part::NotarySigner, spec.notary.is_some()),
        (Part::Trivy, spec.trivy.is_some()),
        (Part::Nginx, spec.expose.core.service.is_some()),
    ]
    .into_iter()
    .filter_map(|(part, installed)| installed.then_some(part))
}

/// The named ports of a component's pods, and the sources of each.
fn open_ports(harbor: &Validated<'_>, part: Part) -> Vec<(&'static str, From)> {
    use From::{Everybody, Siblings};
    let door = part.port(harbor.scheme());
    let own = match part {
        Part::Core | Part::Portal | Part::NotaryServer | Part::Exporter => vec![(door, Everybody)],
        Part::Nginx => {
            let secure = harbor.installation.expose.core.component.tls.as_ref().map(|_| ("https", Everybody));
            [Some((door, Everybody)), secure].into_iter().flatten().collect()
        }
        Part::JobService | Part::ChartMuseum => vec![(door, Siblings(&[Part::Core]))],
        Part::Registry | Part::RegistryController => vec![
            (Part::Registry.port(harbor.scheme()), Siblings(&[Part::Core, Part::JobService])),
            (Part::RegistryController.port(harbor.scheme()), Siblings(&[Part::Core, Part::JobService])),
        ],
        Part::Trivy => vec![(door, Siblings(&[Part::Core, Part::JobService]))],
        Part::NotarySigner => vec![(door, Siblings(&[Part::NotaryServer]))],
    };
    let metrics = has_metrics(harbor, part).then_some((METRICS_PORT, Everybody));
    own.into_iter().chain(metrics).collect()
}

fn has_metrics(harbor: &Validated<'_>, part: Part) -> bool {
    let spec = harbor.installation;
    let metrics = match part {
        Part::Core => spec.core.as_ref().and_then(|core| core.metrics.as_ref()),
        Part::JobService => spec.jobservice.as_ref().and_then(|jobs| jobs.metrics.as_ref()),
        Part::Registry => spec.registry.as_ref().and_then(|registry| registry.metrics.as_ref()),
        _ => None,
    };
    metrics.is_some_and(|metrics| metrics.enabled)
}

fn rule(harbor: &Validated<'_>, port: &str, from: &From) -> NetworkPolicyIngressRule {
    let peer = |part: &Part| NetworkPolicyPeer {
        pod_selector: Some(LabelSelector {
            match_labels: Some(pods(harbor, *part)),
            match_expressions: None,
        }),
        ..NetworkPolicyPeer::default()
    };
    NetworkPolicyIngressRule {
        from: match from {
            From::Everybody => None,
            From::Siblings(parts) => Some(parts.iter().map(peer).collect()),
        },
        ports: Some(vec![NetworkPolicyPort {
            port: Some(IntOrString::String(port.into())),
            protocol: Some("TCP".into()),
            ..NetworkPolicyPort::default()
        }]),
    }
}

enum Direction {
    Ingress(Vec<NetworkPolicyIngressRule>),
    NoEgress,
}

fn policy(harbor: &Validated<'_>, part: Part, direction: Direction) -> NetworkPolicy {
    let (word, kind, ingress, egress) = match direction {
        Direction::Ingress(rules) => ("ingress", "Ingress", Some(rules), None),
        Direction::NoEgress => ("egress", "Egress", None, Some(Vec::new())),
    };
    NetworkPolicy {
        metadata: harbor.metadata(harbor.child(&format!("{}-{word}", part.name()))),
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(LabelSelector {
                match_labels: Some(pods(harbor, part)),
                match_expressions: None,
            }),
            policy_types: Some(vec![kind.into()]),
            ingress,
            egress,
        }),
    }
}

/// The selector of a component's pods, which is that of its Deployment.
fn pods(harbor: &Validated<'_>, part: Part) -> BTreeMap<String, String> {
    pod_selector(part.name(), &harbor.child(part.name()), harbor.namespace)
}
