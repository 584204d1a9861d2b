//! Access to MinIO: a Service of its own, and an Ingress if clients are redirected to it.

use super::Request;
use crate::{
    exposure::{Exposed, check_one_certificate, ingress_path, service_type},
    pods::Scheme,
};
use api::names::MINIO_TENANT_LABEL;
use api::v1beta1::{
    ObjectName,
    expose::{HarborExposeComponentSpec, IngressSpec},
};
use k8s_openapi::{
    api::{
        core::v1::{Service, ServicePort, ServiceSpec},
        networking::v1::Ingress,
    },
    apimachinery::pkg::util::intstr::IntOrString,
};
use plan::PlanError;

/// Port that MinIO listens on.
const LISTENING: i32 = 9000;

/// Access to MinIO.
pub(super) struct Access<'a> {
    /// URL for the registry. It is part of signed links, so redirected clients must be able to resolve it.
    pub endpoint: String,
    /// Access for redirected clients.
    pub redirect: Option<Redirect<'a>>,
    /// Secret with the certificate of the servers.
    certificate: Option<&'a ObjectName>,
}

/// Access for redirected clients.
pub(super) struct Redirect<'a> {
    expose: &'a HarborExposeComponentSpec,
    ingress: &'a IngressSpec,
}

impl<'a> Access<'a> {
    /// Access from outside if clients are redirected, otherwise from inside.
    pub fn of(request: &Request<'a>) -> Result<Self, PlanError> {
        let redirect = Redirect::of(request)?;
        // Not the Service `minio` of the MinIO operator, which all tenants of a namespace share, nor the
        // headless one, which includes servers that are not ready.
        let inside = || {
            let (scheme, name, namespace) = (request.scheme(), &request.name, request.cluster.namespace);
            format!("{}://{name}.{namespace}.svc:{}", scheme.as_str(), scheme.port())
        };
        let outside =
            |redirect: &Redirect<'_>| format!("{}://{}", redirect.scheme().as_str(), redirect.ingress.host);
        let endpoint = redirect.as_ref().map_or_else(inside, outside);
        Ok(Self { endpoint: endpoint.to_lowercase(), redirect, certificate: request.certificate() })
    }

    /// Whether the endpoint is served over TLS.
    pub fn is_secure(&self) -> bool {
        match &self.redirect {
            Some(redirect) => redirect.scheme() == Scheme::Https,
            None => self.certificate.is_some(),
        }
    }

    /// The Secret with the certificate of the endpoint.
    pub fn certificate(&self) -> Option<ObjectName> {
        match &self.redirect {
            Some(redirect) => redirect.certificate(),
            None => self.certificate.cloned(),
        }
    }

    /// The Ingress, if clients are redirected.
    pub fn ingress(&self, request: &Request<'_>) -> Option<Ingress> {
        let redirect = self.redirect.as_ref()?;
        let exposed = Exposed {
            metadata: request.cluster.metadata(&request.name),
            requested: redirect.ingress,
            certificate: redirect.certificate().map(String::from),
            behind: request.scheme(),
            public: redirect.scheme(),
            paths: vec![ingress_path("/", request.name.as_str(), request.scheme().port())],
        };
        Some(exposed.into())
    }
}

/// The Service of this tenant only.
pub(super) fn service(request: &Request<'_>, access: &Access<'_>) -> Service {
    let redirect = access.redirect.as_ref();
    let type_ = redirect.and_then(|redirect| service_type(redirect.ingress.controller));
    let scheme = request.scheme();
    let port = ServicePort {
        name: Some(format!("{}-minio", scheme.as_str())),
        protocol: Some("TCP".into()),
        port: scheme.port(),
        target_port: Some(IntOrString::Int(LISTENING)),
        ..ServicePort::default()
    };
    let spec = ServiceSpec {
        selector: Some([(MINIO_TENANT_LABEL.to_owned(), request.name.clone())].into()),
        ports: Some(vec![port]),
        type_: type_.map(Into::into),
        ..ServiceSpec::default()
    };
    Service { metadata: request.cluster.metadata(&request.name), spec: Some(spec), status: None }
}

impl<'a> Redirect<'a> {
    /// The redirect of the storage, or that of MinIO, which is the older field.
    fn of(request: &Request<'a>) -> Result<Option<Self>, PlanError> {
        let of_storage = request.cluster.spec.storage.spec.redirect.as_ref();
        let (field, redirect) = match (of_storage, &request.spec.redirect) {
            (Some(redirect), _) => ("redirect", redirect),
            (None, Some(redirect)) => ("minIO.redirect", redirect),
            (None, None) => return Ok(None),
        };
        if !redirect.enable {
            return Ok(None);
        }
        let exposed = redirect.expose.as_ref().and_then(|expose| Some((expose, expose.ingress.as_ref()?)));
        match exposed {
            Some((expose, requested)) => {
                check_one_certificate(expose, &format!("spec.storage.spec.{field}.expose"))?;
                Ok(Some(Self { expose, ingress: requested }))
            }
            None => Err(PlanError::invalid(
                format_args!("spec.storage.spec.{field}.expose.ingress"),
                "is required while redirect is enabled",
                "set its host, or redirect.enable to false",
            )),
        }
    }

    fn scheme(&self) -> Scheme {
        match self.ingress.default_certificate {
            Some(true) => Scheme::Https,
            _ => Scheme::of(self.expose.tls.as_ref()),
        }
    }

    pub fn certificate(&self) -> Option<ObjectName> {
        let certificate = self.expose.tls.as_ref()?.certificate_ref.clone();
        certificate.filter(|name| !name.is_empty())
    }
}
