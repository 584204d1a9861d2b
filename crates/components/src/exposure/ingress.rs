//! Ingresses, in the flavours that ingress controllers want.

use crate::pods::Scheme;
use api::v1beta1::expose::{HarborExposeComponentSpec, IngressController, IngressSpec};
use k8s_openapi::api::networking::v1::{
    self as networking, HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressRule,
    IngressServiceBackend, IngressTLS, ServiceBackendPort,
};
use kube::core::ObjectMeta;
use plan::PlanError;

/// The class of an Ingress, before there was a field for it.
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// An Ingress to be.
pub(crate) struct Exposed<'a> {
    /// Its metadata; what the user wishes is added.
    pub metadata: ObjectMeta,
    /// What the user wishes.
    pub wished: &'a IngressSpec,
    /// Secret with the certificate that users are shown.
    pub certificate: Option<String>,
    /// How what is behind it is served.
    pub behind: Scheme,
    /// How users are served; over TLS, those who come in clear text are sent there.
    pub public: Scheme,
    /// Which requests go where.
    pub paths: Vec<HTTPIngressPath>,
}

impl From<Exposed<'_>> for Ingress {
    fn from(exposed: Exposed<'_>) -> Self {
        let Exposed { mut metadata, wished, certificate, behind, public, paths } = exposed;
        let (class, class_annotation) = class(wished);
        let annotations = metadata.annotations.get_or_insert_default();
        annotations.extend(owned(flavour(behind, public, wished.controller)));
        annotations.extend(class_annotation);
        annotations.extend(wished.annotations.clone());
        if !wished.labels.is_empty() {
            metadata.labels.get_or_insert_default().extend(wished.labels.clone());
        }
        // Without a Secret the controller uses its own.
        let secured = certificate.is_some() || wished.default_certificate == Some(true);
        let tls = secured
            .then(|| vec![IngressTLS { hosts: Some(vec![wished.host.clone()]), secret_name: certificate }]);
        Self {
            metadata,
            spec: Some(networking::IngressSpec {
                ingress_class_name: class,
                rules: Some(vec![IngressRule {
                    host: Some(wished.host.clone()),
                    http: Some(HTTPIngressRuleValue {
                        paths: paths.into_iter().map(|path| understood(path, wished.controller)).collect(),
                    }),
                }]),
                tls,
                default_backend: None,
            }),
            status: None,
        }
    }
}

/// Refuses a certificate beside the one of the controller. `field` is where the spec exposes something.
pub(crate) fn check_one_certificate(
    exposed: &HarborExposeComponentSpec,
    field: &str,
) -> Result<(), PlanError> {
    let default = exposed.ingress.as_ref().and_then(|ingress| ingress.default_certificate);
    if default == Some(true) && exposed.tls.is_some() {
        return Err(PlanError::invalid(
            format_args!("{field}.ingress.defaultCertificate"),
            "is true although tls names or asks for a certificate",
            "remove one of them",
        ));
    }
    Ok(())
}

/// Requests below `prefix`, sent to a Service.
pub(crate) fn ingress_path(prefix: &str, service: impl Into<String>, port: i32) -> HTTPIngressPath {
    let port = ServiceBackendPort { number: Some(port), name: None };
    HTTPIngressPath {
        path: Some(prefix.into()),
        path_type: "Prefix".into(),
        backend: IngressBackend {
            service: Some(IngressServiceBackend { name: service.into(), port: Some(port) }),
            resource: None,
        },
    }
}

/// The class of an Ingress: as a field, or as an annotation where the controller leaves alone what has the field, which
/// Google's does.
fn class(wished: &IngressSpec) -> (Option<String>, Option<(String, String)>) {
    let class = wished.ingress_class_name.clone();
    match wished.controller {
        IngressController::Gce => (None, class.map(|class| (CLASS_ANNOTATION.to_owned(), class))),
        IngressController::Default
        | IngressController::Ncp
        | IngressController::Contour
        | IngressController::Alb
        | IngressController::F5BigIp => (class, None),
    }
}

/// The same path in the form a controller understands: NCP is told to read regular expressions, and the load balancers of
/// Google Cloud know wildcards.
fn understood(path: HTTPIngressPath, controller: IngressController) -> HTTPIngressPath {
    let below = |end: &str| path.path.as_ref().map(|path| format!("{}{end}", path.trim_end_matches('/')));
    match controller {
        IngressController::Ncp => HTTPIngressPath { path: below("/.*"), ..path },
        IngressController::Gce => {
            HTTPIngressPath { path: below("/*"), path_type: "ImplementationSpecific".into(), ..path }
        }
        IngressController::Default
        | IngressController::Contour
        | IngressController::Alb
        | IngressController::F5BigIp => path,
    }
}

/// What controllers must be told: images are large, and what is behind may be served over TLS.
fn flavour(
    behind: Scheme,
    public: Scheme,
    controller: IngressController,
) -> Vec<(&'static str, &'static str)> {
    let protocol = match behind {
        Scheme::Http => "HTTP",
        Scheme::Https => "HTTPS",
    };
    let mut annotations = vec![
        ("nginx.ingress.kubernetes.io/backend-protocol", protocol),
        ("nginx.ingress.kubernetes.io/proxy-body-size", "0"),
    ];
    match (controller, public) {
        (
            IngressController::Default
            | IngressController::Gce
            | IngressController::Alb
            | IngressController::F5BigIp,
            _,
        )
        | (IngressController::Contour, Scheme::Http) => {}
        (IngressController::Ncp, Scheme::Http) => annotations.push(("ncp/use-regex", "true")),
        (IngressController::Ncp, Scheme::Https) => {
            annotations.extend([("ncp/use-regex", "true"), ("ncp/http-redirect", "true")]);
        }
        (IngressController::Contour, Scheme::Https) => {
            annotations.push(("ingress.kubernetes.io/force-ssl-redirect", "true"));
        }
    }
    annotations
}

fn owned<'a>(pairs: Vec<(&'a str, &'a str)>) -> impl Iterator<Item = (String, String)> + use<'a> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()))
}
