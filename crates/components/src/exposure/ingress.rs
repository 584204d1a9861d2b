//! Ingresses, adapted to ingress controllers.

use crate::pods::Scheme;
use api::names::INGRESS_CLASS_ANNOTATION;
use api::v1beta1::expose::{HarborExposeComponentSpec, IngressController, IngressSpec};
use k8s_openapi::api::networking::v1::{
    self as networking, HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressRule,
    IngressServiceBackend, IngressTLS, ServiceBackendPort,
};
use kube::core::ObjectMeta;
use plan::PlanError;

/// What an Ingress is built from.
pub(crate) struct Exposed<'a> {
    /// Its metadata, to which the user's annotations and labels are added.
    pub metadata: ObjectMeta,
    /// The user's settings.
    pub requested: &'a IngressSpec,
    /// Secret with the certificate that users are served with.
    pub certificate: Option<String>,
    /// The scheme of the Services behind it.
    pub behind: Scheme,
    /// The scheme for users. With TLS, the controller redirects HTTP to HTTPS.
    pub public: Scheme,
    /// The paths and their Services.
    pub paths: Vec<HTTPIngressPath>,
}

impl From<Exposed<'_>> for Ingress {
    fn from(exposed: Exposed<'_>) -> Self {
        let Exposed { mut metadata, requested, certificate, behind, public, paths } = exposed;
        let IngressSpec {
            host,
            controller,
            annotations: requested_annotations,
            labels,
            // In `class`.
            ingress_class_name: _,
            default_certificate,
        } = requested;
        let (class, class_annotation) = class(requested);
        let annotations = metadata.annotations.get_or_insert_default();
        annotations.extend(owned(controller_annotations(behind, public, *controller)));
        annotations.extend(class_annotation);
        annotations.extend(requested_annotations.clone());
        if !labels.is_empty() {
            metadata.labels.get_or_insert_default().extend(labels.clone());
        }
        // Without a Secret, the controller uses its default certificate.
        let secured = certificate.is_some() || *default_certificate == Some(true);
        let tls =
            secured.then(|| vec![IngressTLS { hosts: Some(vec![host.clone()]), secret_name: certificate }]);
        Self {
            metadata,
            spec: Some(networking::IngressSpec {
                ingress_class_name: class,
                rules: Some(vec![IngressRule {
                    host: Some(host.clone()),
                    http: Some(HTTPIngressRuleValue {
                        paths: paths.into_iter().map(|path| controller_path(path, *controller)).collect(),
                    }),
                }]),
                tls,
                default_backend: None,
            }),
            status: None,
        }
    }
}

/// Refuses a certificate beside the controller's default certificate. `field` is where the spec exposes a
/// component.
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

/// Routes requests below `prefix` to a Service.
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

/// The class of an Ingress: as a field, or as an annotation for Google's controller, which ignores Ingresses
/// with the field.
fn class(requested: &IngressSpec) -> (Option<String>, Option<(String, String)>) {
    let class = requested.ingress_class_name.clone();
    match requested.controller {
        IngressController::Gce => (None, class.map(|class| (INGRESS_CLASS_ANNOTATION.to_owned(), class))),
        IngressController::Default
        | IngressController::Ncp
        | IngressController::Contour
        | IngressController::Alb
        | IngressController::F5BigIp => (class, None),
    }
}

/// The path in the syntax of a controller: regular expressions for NCP, wildcards for the load balancers of
/// Google Cloud.
fn controller_path(path: HTTPIngressPath, controller: IngressController) -> HTTPIngressPath {
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

/// The annotations for a controller: no limit on the size of requests, and the scheme of the Services behind.
fn controller_annotations(
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
