//! The Deployment of a component: the settings that the user requests, and the restrictions of all pods.

use super::{instance::Instance, pod_security, probes};
use api::names::VERSION_ANNOTATION;
use api::v1beta1::{component::ComponentSpec, image::ImagePullPolicy};
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy, RollingUpdateDeployment},
        core::v1::{
            Capabilities, Container, EnvVar, LocalObjectReference, Pod, PodSecurityContext, PodSpec,
            PodTemplateSpec, ResourceRequirements, SeccompProfile, SecurityContext, TopologySpreadConstraint,
            Volume,
        },
    },
    apimachinery::pkg::{apis::meta::v1::LabelSelector, util::intstr::IntOrString},
};
use kube::core::ObjectMeta;
use plan::{Desired, PlanError};

/// User and group that own the files in Harbor's images.
const HARBOR: i64 = 10000;

/// What a Deployment is built from.
pub(crate) struct Workload<'a> {
    /// The component that it belongs to.
    pub instance: &'a Instance<'a>,
    /// Each container with its settings.
    pub containers: Vec<(Container, &'a ComponentSpec)>,
    /// Volumes of the pods.
    pub volumes: Vec<Volume>,
    /// How pods are replaced.
    pub strategy: Strategy,
    /// How long a pod may take to terminate; Kubernetes' default is 30 seconds.
    pub termination_grace_period_seconds: Option<i64>,
}

/// How pods are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Kubernetes' default.
    #[default]
    Unset,
    /// A few at a time.
    RollingUpdate,
    /// All at once, for claims that not all pods can mount; see [`crate::data`].
    Recreate,
    /// All new pods start beside the old ones, which end when the new ones serve.
    Together,
}

impl Strategy {
    /// Parses `spec.updateStrategyType`, which the schema does not restrict.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        match text {
            "" | "RollingUpdate" => Ok(Self::RollingUpdate),
            "Recreate" => Ok(Self::Recreate),
            other => Err(PlanError::invalid(
                "spec.updateStrategyType",
                format!("{other:?} is not a strategy to replace pods"),
                "use RollingUpdate or Recreate",
            )),
        }
    }

    /// The operator applies defaults too, so that it owns them and a later apply removes them: the API server
    /// refuses `Recreate` beside a leftover `rollingUpdate`.
    fn deployment_strategy(self) -> Option<DeploymentStrategy> {
        let quarter = || Some(IntOrString::String("25%".into()));
        match self {
            Self::Unset => None,
            Self::RollingUpdate => Some(DeploymentStrategy {
                type_: Some("RollingUpdate".into()),
                rolling_update: Some(RollingUpdateDeployment {
                    max_surge: quarter(),
                    max_unavailable: quarter(),
                }),
            }),
            Self::Together => Some(DeploymentStrategy {
                type_: Some("RollingUpdate".into()),
                rolling_update: Some(RollingUpdateDeployment {
                    max_surge: Some(IntOrString::String("100%".into())),
                    max_unavailable: Some(IntOrString::Int(0)),
                }),
            }),
            Self::Recreate => {
                Some(DeploymentStrategy { type_: Some("Recreate".into()), rolling_update: None })
            }
        }
    }
}

impl Workload<'_> {
    /// The Deployment, whose pods satisfy the "restricted" pod security standard.
    ///
    /// The operator applies `replicas` only if the user sets it, so that an autoscaler can own the field. An
    /// autoscaler starts from the current number.
    pub fn deployment(self) -> Desired {
        let left_to_others: &[_] =
            if self.instance.spec.autoscaling.is_some() { &["spec.replicas"] } else { &[] };
        Desired::from(self.manifest()).leaving(left_to_others)
    }

    fn manifest(self) -> Deployment {
        let Self { instance, .. } = self;
        let ComponentSpec {
            template_annotations,
            replicas,
            revision_history_limit,
            // In `Instance`.
            template_labels: _,
            // In `pod`.
            image: _,
            service_account_name: _,
            node_selector: _,
            tolerations: _,
            affinity: _,
            topology_spread_constraints: _,
            priority_class_name: _,
            init_containers: _,
            // In `container`.
            resources: _,
            extra_env: _,
            probes: _,
            // In `availability`.
            pod_disruption_budget: _,
            autoscaling: _,
        } = instance.spec;
        let version = instance.annotation(VERSION_ANNOTATION);
        let annotations = version.map(|version| [(VERSION_ANNOTATION.to_owned(), version.to_owned())].into());
        let template_annotations =
            Some(template_annotations.clone()).filter(|requested| !requested.is_empty());
        let strategy = self.strategy.deployment_strategy();
        let pod = self.pod();
        Deployment {
            metadata: ObjectMeta { annotations, ..instance.own_metadata() },
            spec: Some(DeploymentSpec {
                replicas: *replicas,
                revision_history_limit: *revision_history_limit,
                selector: LabelSelector { match_labels: Some(instance.selector()), match_expressions: None },
                strategy,
                progress_deadline_seconds: probes::progress_deadline(&pod.containers),
                template: PodTemplateSpec {
                    metadata: Some(ObjectMeta {
                        labels: Some(instance.pod_labels.clone()),
                        annotations: template_annotations,
                        ..ObjectMeta::default()
                    }),
                    spec: Some(pod),
                },
                ..DeploymentSpec::default()
            }),
            status: None,
        }
    }

    /// A pod of its own that does one task and ends, with the same restrictions. Its containers report the end of their
    /// logs when they fail. Services do not select it.
    pub fn task(self, metadata: ObjectMeta) -> Pod {
        let mut spec = self.pod();
        spec.restart_policy = Some("Never".into());
        for container in &mut spec.containers {
            container.termination_message_policy = Some("FallbackToLogsOnError".into());
        }
        Pod { metadata, spec: Some(spec), status: None }
    }

    fn pod(self) -> PodSpec {
        let spec = self.instance.spec;
        PodSpec {
            // Harbor never talks to the API server.
            automount_service_account_token: Some(false),
            // A Service called `registry-storage` would set REGISTRY_STORAGE_PORT, which Harbor reads as its
            // own setting.
            enable_service_links: Some(false),
            service_account_name: spec.service_account_name.clone(),
            // The deprecated alias. The API server fills it in, and would restore the name from it when the
            // user removes it.
            service_account: spec.service_account_name.clone(),
            image_pull_secrets: some(&pull_secrets(self.instance, &self.containers)),
            node_selector: Some(spec.node_selector.clone()).filter(|labels| !labels.is_empty()),
            tolerations: some(&spec.tolerations),
            affinity: spec.affinity.clone(),
            topology_spread_constraints: some(&spread(self.instance)),
            priority_class_name: spec.priority_class_name.clone(),
            security_context: Some(restricted_pod(&self.volumes)),
            init_containers: some(&init_containers(&self.containers)),
            containers: self.containers.into_iter().map(|(it, spec)| container(it, spec)).collect(),
            volumes: Some(self.volumes).filter(|volumes| !volumes.is_empty()),
            termination_grace_period_seconds: self.termination_grace_period_seconds,
            ..PodSpec::default()
        }
    }
}

/// Adds the selector of the pods to constraints without one, which would count no pods.
fn spread(instance: &Instance<'_>) -> Vec<TopologySpreadConstraint> {
    let counted = |constraint: &TopologySpreadConstraint| {
        let mut constraint = constraint.clone();
        constraint.label_selector.get_or_insert_with(|| LabelSelector {
            match_labels: Some(instance.selector()),
            match_expressions: None,
        });
        constraint
    };
    instance.spec.topology_spread_constraints.iter().map(counted).collect()
}

fn container(container: Container, spec: &ComponentSpec) -> Container {
    let pull_policy = spec.image.image_pull_policy.unwrap_or(ImagePullPolicy::IfNotPresent);
    Container {
        image_pull_policy: Some(pull_policy.as_str().into()),
        resources: spec.resources.clone().filter(|requested| *requested != ResourceRequirements::default()),
        env: with_extra(container.env.clone(), &spec.extra_env),
        security_context: Some(restricted_container(container.security_context.clone().unwrap_or_default())),
        ..probes::timed(container, spec.probes.as_ref())
    }
}

/// The pull secrets of all containers, without duplicates.
fn pull_secrets(
    instance: &Instance<'_>,
    containers: &[(Container, &ComponentSpec)],
) -> Vec<LocalObjectReference> {
    let specs = std::iter::once(instance.spec).chain(containers.iter().map(|(_, spec)| *spec));
    let mut all = Vec::new();
    for secret in specs.flat_map(|spec| &spec.image.image_pull_secrets) {
        if !all.contains(secret) {
            all.push(secret.clone());
        }
    }
    all
}

/// The init containers of users, in the order of the containers.
fn init_containers(containers: &[(Container, &ComponentSpec)]) -> Vec<Container> {
    let requested = containers.iter().flat_map(|(_, spec)| &spec.init_containers);
    requested.map(pod_security::restricted).collect()
}

/// Adds the user's variables, which replace ours of the same name: the API server refuses to apply a duplicate
/// name.
fn with_extra(own: Option<Vec<EnvVar>>, extra: &[EnvVar]) -> Option<Vec<EnvVar>> {
    let replaced = |variable: &EnvVar| extra.iter().any(|requested| requested.name == variable.name);
    let kept = own.into_iter().flatten().filter(|variable| !replaced(variable));
    let all: Vec<EnvVar> = kept.chain(extra.iter().cloned()).collect();
    (!all.is_empty()).then_some(all)
}

fn restricted_pod(volumes: &[Volume]) -> PodSecurityContext {
    // Changing the group of every file of a large volume would dominate the start of a pod.
    let kept = volumes.iter().any(|volume| volume.persistent_volume_claim.is_some());
    PodSecurityContext {
        run_as_non_root: Some(true),
        run_as_user: Some(HARBOR),
        run_as_group: Some(HARBOR),
        fs_group: Some(HARBOR),
        fs_group_change_policy: kept.then(|| "OnRootMismatch".into()),
        seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".into(), localhost_profile: None }),
        ..PodSecurityContext::default()
    }
}

/// The root file system stays writable unless a component says otherwise: most images append to their bundle of
/// certificate authorities when they start.
fn restricted_container(own: SecurityContext) -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), add: None }),
        ..own
    }
}

fn some<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}
