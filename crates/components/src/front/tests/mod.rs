//! Tests of the front.

mod config;
mod deployment;
mod refusals;
mod service;

use super::{Front, Request};
use crate::{connections::Url, nginx::Ciphers, versions::HarborVersion};
use api::v1beta1::{component::ComponentSpec, expose::ExposeServiceSpec, network::Network};
use kube::core::ObjectMeta;
use plan::PlanError;
use serde_json::{Value, json};

/// A Harbor called `h` that is exposed by a Service.
struct Shown {
    harbor: ObjectMeta,
    version: &'static str,
    pods: ComponentSpec,
    service: ExposeServiceSpec,
    network: Option<Network>,
    external: &'static str,
    certificate: Option<&'static str>,
    authority: Option<&'static str>,
}

fn plain() -> Shown {
    Shown {
        harbor: serde_json::from_value(json!({"name": "h", "namespace": "registry"})).unwrap(),
        version: "2.15.0",
        pods: ComponentSpec::default(),
        service: ExposeServiceSpec::default(),
        network: None,
        external: "http://harbor.example.com",
        certificate: None,
        authority: None,
    }
}

/// With TLS for users and between components.
fn secured() -> Shown {
    Shown {
        external: "https://harbor.example.com",
        certificate: Some("public-tls"),
        authority: Some("h-harbor-internal-tls-core"),
        ..plain()
    }
}

fn service_spec(json: Value) -> ExposeServiceSpec {
    serde_json::from_value(json).unwrap()
}

impl Shown {
    fn front(&self) -> Result<Front<'_>, PlanError> {
        let request = Request {
            version: HarborVersion::parse(self.version).unwrap(),
            pods: &self.pods,
            service: &self.service,
            network: self.network.as_ref(),
            external: Url::parse(self.external, "spec.externalURL").unwrap(),
            certificate: self.certificate,
            ciphers: Ciphers::default(),
            authority: self.authority,
            core: "h-harbor-core",
            portal: "h-harbor-portal",
            addresses: Vec::new(),
        };
        Front::of(&self.harbor, request)
    }

    fn error(&self) -> String {
        self.front().unwrap_err().to_string()
    }
}
