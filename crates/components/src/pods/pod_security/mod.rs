//! What users may request of pods: nothing that gives access to the node or the API server, unless the
//! administrator allows it.
//!
//! A user who may create a Harbor need not be allowed to create pods. The operator is allowed to, so it refuses
//! what would let such a user escalate privileges. For containers the rules are those of the Pod Security
//! Standards (<https://kubernetes.io/docs/concepts/security/pod-security-standards/>), "restricted". Volumes
//! are refused only if they give access to the node or hold a token of a ServiceAccount: images may be stored
//! on NFS. Where a namespace enforces more, Pod Security refuses the pods, and the status of their Deployment
//! says so.

mod container;
#[cfg(test)]
mod tests;

pub(crate) use container::restricted;

use api::v1beta1::{component::ComponentSpec, installation::InstallationSpec};
use k8s_openapi::api::core::v1::{Volume, VolumeProjection};
use plan::{All, Defaults, PlanError, PrivilegedPods};
use std::fmt;

/// A field that violates the standard, and how.
#[derive(Debug)]
struct Complaint {
    field: String,
    problem: String,
}

impl Complaint {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    /// The same, with the path of the parent in front of the field.
    fn within(self, outer: impl fmt::Display) -> Self {
        Self { field: format!("{outer}.{}", self.field), problem: self.problem }
    }
}

/// Refuses settings of a Harbor whose pods would get access to the node.
pub(crate) fn check_installation_pods(spec: &InstallationSpec, defaults: &Defaults) -> Result<(), PlanError> {
    // Without `..`: a new field may describe pods, too.
    let InstallationSpec {
        core,
        jobservice,
        registry,
        registryctl,
        portal,
        trivy,
        exporter,
        chartmuseum,
        notary,
        nginx,
        external_url: _,
        version: _,
        upgrade: _,
        rotation: _,
        expose: _,
        harbor_admin_password_ref: _,
        harbor_admin_password_key: _,
        deletion_policy: _,
        internal_tls: _,
        log_level: _,
        update_strategy_type: _,
        image_source: _,
        proxy: _,
        trace: _,
        network: _,
        certificates: _,
        cache_layer: _,
    } = spec;
    let parts = [
        ("spec.core", core.as_ref().map(|it| &it.component)),
        ("spec.jobservice", jobservice.as_ref().map(|it| &it.component)),
        ("spec.registry", registry.as_ref().map(|it| &it.component)),
        ("spec.registryctl", registryctl.as_ref()),
        ("spec.portal", portal.as_ref().map(|it| &it.component)),
        ("spec.trivy", trivy.as_ref().map(|it| &it.component)),
        ("spec.exporter", exporter.as_ref().map(|it| &it.component)),
        ("spec.chartmuseum", chartmuseum.as_ref().map(|it| &it.component)),
        ("spec.notary.server", notary.as_ref().and_then(|it| it.server.as_ref())),
        ("spec.notary.signer", notary.as_ref().and_then(|it| it.signer.as_ref())),
        ("spec.nginx", nginx.as_ref()),
    ];
    let check = |(field, pods): (&str, Option<&ComponentSpec>)| {
        pods.map_or(Ok(()), |pods| check_pods(pods, field, defaults))
    };
    parts.map(check).into_iter().collect::<Vec<_>>().all().map(drop)
}

/// Refuses init containers with access to the node, and annotations that weaken the isolation of containers.
/// `field` is their parent.
pub(crate) fn check_pods(spec: &ComponentSpec, field: &str, defaults: &Defaults) -> Result<(), PlanError> {
    let init_containers = spec.init_containers.iter().enumerate().flat_map(|(index, it)| {
        let complaints = container::complaints(it).into_iter();
        complaints.map(move |complaint| complaint.within(format_args!("initContainers[{index}]")))
    });
    let annotations = spec
        .template_annotations
        .iter()
        .filter(|(key, profile)| key.starts_with(APP_ARMOR) && !container::confines(profile))
        .map(|(key, profile)| Complaint::new(format!("templateAnnotations[{key}]"), is(profile)));
    refused(init_containers.chain(annotations).map(|it| it.within(field)), defaults)
}

/// The prefix of pod annotations that set the AppArmor profile of a container. Kubernetes still reads them.
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Refuses a volume that gives access to the node or holds a token for the API server. `field` is where it is
/// described.
pub(crate) fn check_volume(
    volume: &Volume,
    field: impl fmt::Display,
    defaults: &Defaults,
) -> Result<(), PlanError> {
    let host_path =
        volume.host_path.is_some().then(|| Complaint::new("hostPath", "is a directory of the node"));
    let git = volume.git_repo.is_some().then(|| Complaint::new("gitRepo", "runs git on the node, as root"));
    let projected = volume.projected.iter().flat_map(|it| it.sources.iter().flatten()).enumerate();
    let tokens = projected.filter_map(|(index, source)| {
        // Without `..`: a new kind of projection may hold a token, too.
        let VolumeProjection {
            service_account_token,
            cluster_trust_bundle: _,
            config_map: _,
            downward_api: _,
            secret: _,
        } = source;
        let problem = "is a token for the API server, in the name of the pod's ServiceAccount";
        service_account_token
            .as_ref()
            .map(|_| Complaint::new(format!("projected.sources[{index}].serviceAccountToken"), problem))
    });
    refused(host_path.into_iter().chain(git).chain(tokens).map(|it| it.within(&field)), defaults)
}

fn refused(complaints: impl Iterator<Item = Complaint>, defaults: &Defaults) -> Result<(), PlanError> {
    match defaults.privileged_pods {
        PrivilegedPods::Allowed => Ok(()),
        PrivilegedPods::Refused => {
            let error = |Complaint { field, problem }| Err(PlanError::invalid(field, problem, REMEDY));
            complaints.map(error).collect::<Vec<Result<(), _>>>().all().map(drop)
        }
    }
}

const REMEDY: &str = "remove it, or let an administrator start the operator with --allow-privileged-pods";

fn is(value: impl fmt::Debug) -> String {
    format!("is {value:?}")
}
