//! What the pods of every component have in common: the user's wishes for them, and what they may not do.

use api::v1beta1::{component::ComponentSpec, image::ImagePullPolicy};
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{
            Capabilities, Container, PodSecurityContext, PodSpec, PodTemplateSpec, ResourceRequirements,
            SeccompProfile, SecurityContext,
        },
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::core::ObjectMeta;
use std::collections::BTreeMap;

/// User and group that own the files in Harbor's images.
const HARBOR: i64 = 10000;

/// A Deployment in the making.
pub(crate) struct Workload<'a> {
    /// Name and annotations of the Deployment.
    pub metadata: ObjectMeta,
    /// What the user wants of the pods.
    pub spec: &'a ComponentSpec,
    /// Which pods are its own.
    pub selector: BTreeMap<String, String>,
    /// Labels of the pods, the selector's among them.
    pub labels: BTreeMap<String, String>,
    /// The pods, as their component wants them.
    pub pod: PodSpec,
    /// How long a rollout may take before it counts as failed; Kubernetes says ten minutes.
    pub progress_deadline_seconds: Option<i32>,
}

impl Workload<'_> {
    /// The Deployment, whose pods satisfy the "restricted" pod security standard.
    ///
    /// `replicas` is sent only where the user set it, so that an autoscaler may.
    pub fn deployment(self) -> Deployment {
        let annotations = Some(self.spec.template_annotations.clone()).filter(|wished| !wished.is_empty());
        let template = PodTemplateSpec {
            metadata: Some(ObjectMeta { labels: Some(self.labels), annotations, ..ObjectMeta::default() }),
            spec: Some(pod(self.pod, self.spec)),
        };
        Deployment {
            metadata: self.metadata,
            spec: Some(DeploymentSpec {
                replicas: self.spec.replicas,
                selector: LabelSelector { match_labels: Some(self.selector), match_expressions: None },
                template,
                progress_deadline_seconds: self.progress_deadline_seconds,
                ..DeploymentSpec::default()
            }),
            status: None,
        }
    }
}

fn pod(pod: PodSpec, spec: &ComponentSpec) -> PodSpec {
    PodSpec {
        // Harbor never talks to the API server.
        automount_service_account_token: Some(false),
        // A Service called `registry-storage` would set REGISTRY_STORAGE_PORT, which Harbor takes for its own.
        enable_service_links: Some(false),
        service_account_name: spec.service_account_name.clone(),
        image_pull_secrets: some(&spec.image.image_pull_secrets),
        node_selector: Some(spec.node_selector.clone()).filter(|labels| !labels.is_empty()),
        tolerations: some(&spec.tolerations),
        security_context: Some(restricted_pod()),
        containers: pod.containers.into_iter().map(|it| container(it, spec)).collect(),
        ..pod
    }
}

fn container(container: Container, spec: &ComponentSpec) -> Container {
    let pull_policy = spec.image.image_pull_policy.unwrap_or(ImagePullPolicy::IfNotPresent);
    Container {
        image_pull_policy: Some(pull_policy.as_str().into()),
        resources: spec.resources.clone().filter(|wished| *wished != ResourceRequirements::default()),
        security_context: Some(restricted_container()),
        ..container
    }
}

fn restricted_pod() -> PodSecurityContext {
    PodSecurityContext {
        run_as_non_root: Some(true),
        run_as_user: Some(HARBOR),
        run_as_group: Some(HARBOR),
        fs_group: Some(HARBOR),
        seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".into(), localhost_profile: None }),
        ..PodSecurityContext::default()
    }
}

/// The root file system stays writable: images append to their bundle of certificate authorities when they start.
fn restricted_container() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), add: None }),
        ..SecurityContext::default()
    }
}

fn some<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}
