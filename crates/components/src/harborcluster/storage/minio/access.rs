//! How MinIO is reached: by a Service of its own, and from outside where clients are sent to it.

use super::Wish;
use crate::{
    exposure::{Exposed, check_one_certificate, ingress_path, service_type},
    pods::Scheme,
};
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

/// Names the Tenant on all that the MinIO operator makes for it.
pub(super) const TENANT_LABEL: &str = "v1.min.io/tenant";

/// Port MinIO listens on.
const LISTENING: i32 = 9000;

/// How MinIO is reached.
pub(super) struct Access<'a> {
    /// URL for the registry. Signed into links: clients that are redirected must know it too.
    pub endpoint: String,
    /// How clients reach it that are sent to it.
    pub redirect: Option<Redirect<'a>>,
    /// Secret with the certificate of the servers.
    certificate: Option<&'a ObjectName>,
}

/// How clients reach MinIO.
pub(super) struct Redirect<'a> {
    expose: &'a HarborExposeComponentSpec,
    ingress: &'a IngressSpec,
}

impl<'a> Access<'a> {
    /// From outside where clients are redirected, else from inside.
    pub fn of(wish: &Wish<'a>) -> Result<Self, PlanError> {
        let redirect = Redirect::of(wish)?;
        // Not the Service `minio` that the MinIO operator makes: it is one for all tenants of a namespace. Nor the headless
        // one: it also leads to servers that are not ready.
        let inside = || {
            let (scheme, name, namespace) = (wish.scheme(), &wish.name, wish.cluster.namespace);
            format!("{}://{name}.{namespace}.svc:{}", scheme.as_str(), scheme.port())
        };
        let outside =
            |redirect: &Redirect<'_>| format!("{}://{}", redirect.scheme().as_str(), redirect.ingress.host);
        let endpoint = redirect.as_ref().map_or_else(inside, outside);
        Ok(Self { endpoint: endpoint.to_lowercase(), redirect, certificate: wish.certificate() })
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

    /// The Ingress, where clients are redirected.
    pub fn ingress(&self, wish: &Wish<'_>) -> Option<Ingress> {
        let redirect = self.redirect.as_ref()?;
        let exposed = Exposed {
            metadata: wish.cluster.metadata(&wish.name),
            wished: redirect.ingress,
            certificate: redirect.certificate().map(String::from),
            behind: wish.scheme(),
            public: redirect.scheme(),
            paths: vec![ingress_path("/", wish.name.as_str(), wish.scheme().port())],
        };
        Some(exposed.into())
    }
}

/// The Service of this tenant alone.
pub(super) fn service(wish: &Wish<'_>, access: &Access<'_>) -> Service {
    let redirect = access.redirect.as_ref();
    let type_ = redirect.and_then(|redirect| service_type(redirect.ingress.controller));
    let scheme = wish.scheme();
    let port = ServicePort {
        name: Some(format!("{}-minio", scheme.as_str())),
        protocol: Some("TCP".into()),
        port: scheme.port(),
        target_port: Some(IntOrString::Int(LISTENING)),
        ..ServicePort::default()
    };
    let spec = ServiceSpec {
        selector: Some([(TENANT_LABEL.to_owned(), wish.name.clone())].into()),
        ports: Some(vec![port]),
        type_: type_.map(Into::into),
        ..ServiceSpec::default()
    };
    Service { metadata: wish.cluster.metadata(&wish.name), spec: Some(spec), status: None }
}

impl<'a> Redirect<'a> {
    /// What the storage says of it, or what MinIO does, where it always was.
    fn of(wish: &Wish<'a>) -> Result<Option<Self>, PlanError> {
        let of_storage = wish.cluster.spec.storage.spec.redirect.as_ref();
        let (field, redirect) = match (of_storage, &wish.spec.redirect) {
            (Some(redirect), _) => ("redirect", redirect),
            (None, Some(redirect)) => ("minIO.redirect", redirect),
            (None, None) => return Ok(None),
        };
        if !redirect.enable {
            return Ok(None);
        }
        let exposed = redirect.expose.as_ref().and_then(|expose| Some((expose, expose.ingress.as_ref()?)));
        match exposed {
            Some((expose, wished)) => {
                check_one_certificate(expose, &format!("spec.storage.spec.{field}.expose"))?;
                Ok(Some(Self { expose, ingress: wished }))
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
