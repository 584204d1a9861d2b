//! The front: the reverse proxy through which users reach Core and the portal if there is no Ingress.
//!
//! It is not a component, but part of a Harbor. nginx resolves the Services of the Harbor once, when it starts,
//! so they must exist before it, and its pods are replaced when the Services get other addresses.
//!
//! Uses: certificates, connections, nginx, pods, versions.

mod config;
mod deployment;
mod request;
mod service;
#[cfg(test)]
mod tests;

pub(crate) use self::request::Request;

use crate::pods::{Instance, Scheme};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::core::ObjectMeta;
use plan::{Desired, PlanError};

/// A validated front.
#[derive(Debug)]
pub(crate) struct Front<'a> {
    /// The Harbor, reduced to what the children of the front need.
    pub instance: Instance<'a>,
    request: Request<'a>,
}

impl<'a> Front<'a> {
    /// The front of the Harbor with this metadata, validated.
    pub fn of(harbor: &'a ObjectMeta, request: Request<'a>) -> Result<Self, PlanError> {
        let instance = request.validate(harbor)?;
        Ok(Self { instance, request })
    }

    /// nginx's configuration.
    pub fn config_map(&self) -> ConfigMap {
        config::config_map(self)
    }

    /// The Deployment. It waits for the ConfigMap, for both Secrets, and for the Services of Core and the
    /// portal.
    pub fn deployment(&self) -> Desired {
        deployment::deployment(self)
    }

    /// The Service that users connect to.
    pub fn service(&self) -> Service {
        service::service(self)
    }

    /// How users are served.
    const fn scheme(&self) -> Scheme {
        match self.request.certificate {
            Some(_) => Scheme::Https,
            None => Scheme::Http,
        }
    }

    /// How Core and the portal are served.
    const fn inner_scheme(&self) -> Scheme {
        match self.request.authority {
            Some(_) => Scheme::Https,
            None => Scheme::Http,
        }
    }

    /// The schemes that nginx listens on: always HTTP, if only to redirect to HTTPS.
    fn schemes(&self) -> impl Iterator<Item = Scheme> {
        let secure = self.request.certificate.map(|_| Scheme::Https);
        std::iter::once(Scheme::Http).chain(secure)
    }
}
