//! The settings of a front, and their validation.

use crate::{
    connections::Url,
    nginx::Ciphers,
    pods::{Instance, Part},
    versions::HarborVersion,
};
use api::v1beta1::{
    component::ComponentSpec,
    expose::{ExposeServiceSpec, ExposeServiceType},
    network::Network,
};
use kube::core::ObjectMeta;
use plan::{All, ChildName, PlanError};

/// Where a Harbor describes the Service.
const FIELD: &str = "spec.expose.core.service";

/// What a Harbor requests of its front.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    /// The version of the Harbor.
    pub version: HarborVersion,
    /// The settings of its pods: `spec.nginx`.
    pub pods: &'a ComponentSpec,
    /// The Service that users connect to: `spec.expose.core.service`.
    pub service: &'a ExposeServiceSpec,
    /// IP families: `spec.network`.
    pub network: Option<&'a Network>,
    /// The external URL.
    pub external: Url<'a>,
    /// TLS Secret that users are served with.
    pub certificate: Option<&'a str>,
    /// Secret whose `ca.crt` signed the certificates of Core and the portal, which are then served over TLS.
    pub authority: Option<&'a str>,
    /// The ciphers for users.
    pub ciphers: Ciphers,
    /// Name of Core's Service.
    pub core: &'a str,
    /// Name of the portal's Service.
    pub portal: &'a str,
    /// Addresses of both Services, if they exist.
    pub addresses: Vec<String>,
}

/// What a setting needs to have an effect.
#[derive(Clone, Copy)]
enum Need {
    Tls,
    NodePorts,
    LoadBalancer,
}

impl<'a> Request<'a> {
    /// Validates the request, and names the children after the Harbor with this metadata.
    pub(super) fn validate(&self, harbor: &'a ObjectMeta) -> Result<Instance<'a>, PlanError> {
        let part = Part { suffix: "harbor-nginx", component: "nginx", field: "spec.nginx" };
        let (instance, ..) = (
            Instance::named(harbor, part, self.version.clone(), self.pods),
            self.name(),
            self.two_ports(),
            self.check_effects(),
        )
            .all()?;
        Ok(instance)
    }

    /// Ports of HTTP and HTTPS.
    pub(super) fn ports(&self) -> (i32, i32) {
        (self.service.http_port.unwrap_or(80), self.service.https_port.unwrap_or(443))
    }

    fn name(&self) -> Result<(), PlanError> {
        let Some(name) = self.service.name.as_deref() else { return Ok(()) };
        if [self.core, self.portal].contains(&name) {
            return Err(PlanError::invalid(
                format_args!("{FIELD}.name"),
                format!("{name:?} is the Service of a component"),
                "use another name",
            ));
        }
        ChildName::exactly(name, format_args!("{FIELD}.name")).map(drop)
    }

    fn two_ports(&self) -> Result<(), PlanError> {
        let (http, https) = self.ports();
        if self.certificate.is_some() && http == https {
            return Err(PlanError::invalid(
                format_args!("{FIELD}.httpsPort"),
                format!("{https} is the port of HTTP too"),
                "use another port for one of them",
            ));
        }
        Ok(())
    }

    fn check_effects(&self) -> Result<(), PlanError> {
        let spec = self.service;
        [
            ("httpsPort", spec.https_port.is_some(), Need::Tls),
            ("httpsNodePort", spec.https_node_port.is_some(), Need::Tls),
            ("httpsNodePort", spec.https_node_port.is_some(), Need::NodePorts),
            ("httpNodePort", spec.http_node_port.is_some(), Need::NodePorts),
            ("loadBalancerIP", spec.load_balancer_ip.is_some(), Need::LoadBalancer),
            ("loadBalancerSourceRanges", !spec.load_balancer_source_ranges.is_empty(), Need::LoadBalancer),
        ]
        .into_iter()
        .filter(|(_, set, need)| *set && !self.meets(*need))
        .map(|(field, _, need)| Err(useless(field, need)))
        .collect::<Vec<Result<(), _>>>()
        .all()
        .map(drop)
    }

    fn meets(&self, need: Need) -> bool {
        match need {
            Need::Tls => self.certificate.is_some(),
            Need::NodePorts => self.service.type_ != ExposeServiceType::ClusterIP,
            Need::LoadBalancer => self.service.type_ == ExposeServiceType::LoadBalancer,
        }
    }
}

fn useless(field: &str, need: Need) -> PlanError {
    let (problem, remedy) = match need {
        Need::Tls => ("is set although users are not served over TLS", "set spec.expose.core.tls".into()),
        Need::NodePorts => (
            "is set although nodes have no ports for it",
            format!("set {FIELD}.type to NodePort or LoadBalancer"),
        ),
        Need::LoadBalancer => {
            ("is set although there is no load balancer", format!("set {FIELD}.type to LoadBalancer"))
        }
    };
    PlanError::invalid(format_args!("{FIELD}.{field}"), problem, format!("{remedy}, or remove {field}"))
}
