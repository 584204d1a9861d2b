//! The front: the reverse proxy through which users reach Core and the portal where there is no Ingress.
//!
//! Not a component: it belongs to a Harbor, whose Services it names. nginx looks these up once, when it starts, so they
//! must exist before it, and its pods are replaced when the Services get other addresses.
//!
//! Uses: certificates, connections, nginx, pods, versions.

mod config;
mod deployment;
mod service;
#[cfg(test)]
mod tests;
mod wishes;

pub(crate) use self::wishes::Wishes;

use crate::pods::{Instance, Scheme};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::core::ObjectMeta;
use plan::{Desired, PlanError};

/// A front that can be made.
#[derive(Debug)]
pub(crate) struct Front<'a> {
    /// The Harbor, as the children of the front see it.
    pub instance: Instance<'a>,
    wishes: Wishes<'a>,
}

impl<'a> Front<'a> {
    /// What is wanted of the Harbor with this metadata, found possible.
    pub fn of(harbor: &'a ObjectMeta, wishes: Wishes<'a>) -> Result<Self, PlanError> {
        let instance = wishes.judged(harbor)?;
        Ok(Self { instance, wishes })
    }

    /// nginx's configuration.
    pub fn config_map(&self) -> ConfigMap {
        config::config_map(self)
    }

    /// The pods. Waits for the ConfigMap, for both Secrets, and for the Services of Core and the portal.
    pub fn deployment(&self) -> Desired {
        deployment::deployment(self)
    }

    /// What users connect to.
    pub fn service(&self) -> Service {
        service::service(self)
    }

    /// How users are served.
    const fn scheme(&self) -> Scheme {
        match self.wishes.certificate {
            Some(_) => Scheme::Https,
            None => Scheme::Http,
        }
    }

    /// How Core and the portal are served.
    const fn inner_scheme(&self) -> Scheme {
        match self.wishes.authority {
            Some(_) => Scheme::Https,
            None => Scheme::Http,
        }
    }

    /// What is listened to: always HTTP, if only to send users on to HTTPS.
    fn schemes(&self) -> impl Iterator<Item = Scheme> {
        let secure = self.wishes.certificate.map(|_| Scheme::Https);
        std::iter::once(Scheme::Http).chain(secure)
    }
}
