//! One component object, reduced to what all its children have in common.

use super::{availability, labels, network_policy, pod_security, resources};
use crate::versions::{Feature, HarborVersion, Mirror, named_image};
use api::names::{COMPONENT_LABEL, INSTANCE_LABEL, VERSION_ANNOTATION};
use api::v1beta1::{
    component::ComponentSpec,
    network::{IpFamilyPolicy, Network},
};
use k8s_openapi::{
    ByteString,
    api::{
        core::v1::{ConfigMap, Secret, Service, ServicePort, ServiceSpec},
        networking::v1::NetworkPolicy,
    },
};
use kube::core::ObjectMeta;
use plan::{All, ChildName, Component, Defaults, PlanError};
use std::collections::BTreeMap;

/// A component object whose children can be named, labelled and given an image.
#[derive(Clone, Debug)]
pub(crate) struct Instance<'a> {
    /// Name of the object itself.
    pub owner: &'a str,
    /// Name of its children.
    pub name: ChildName,
    /// Namespace of both.
    pub namespace: &'a str,
    /// The version of the Harbor that it belongs to.
    pub version: HarborVersion,
    /// The settings of its pods.
    pub spec: &'a ComponentSpec,
    /// Labels of its pods.
    pub pod_labels: BTreeMap<String, String>,
    annotations: Option<&'a BTreeMap<String, String>>,
    component: &'static str,
    mirror: Mirror,
    network_policies: bool,
}

/// The name of some pods, and where their settings are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The suffix of their name, after the name of the object.
    pub suffix: &'static str,
    /// Their component in labels.
    pub component: &'static str,
    /// The field of the object that holds their settings.
    pub field: &'static str,
}

impl<'a> Instance<'a> {
    /// The object with this metadata, of the component `C`.
    pub fn of<C: Component>(
        meta: &'a ObjectMeta,
        spec: &'a ComponentSpec,
        defaults: &Defaults,
    ) -> Result<Self, PlanError> {
        let version = HarborVersion::of(meta.annotations.as_ref(), &spec.image);
        let part = Part { suffix: C::NAME, component: C::NAME, field: "spec" };
        let (instance, ()) =
            (Self::new(meta, part, version, spec), pod_security::check_pods(spec, part.field, defaults))
                .all()?;
        Ok(Self {
            mirror: Mirror::of(None, defaults),
            network_policies: network_policy::network_policies_wanted(meta.annotations.as_ref(), defaults),
            ..instance
        })
    }

    /// Pods without an object of their own, which belong to the object with this metadata. That object has
    /// validated the settings of the pods.
    pub fn named(
        meta: &'a ObjectMeta,
        part: Part,
        version: HarborVersion,
        spec: &'a ComponentSpec,
    ) -> Result<Self, PlanError> {
        Self::new(meta, part, Ok(version), spec)
    }

    fn new(
        meta: &'a ObjectMeta,
        Part { suffix, component, field }: Part,
        version: Result<HarborVersion, PlanError>,
        spec: &'a ComponentSpec,
    ) -> Result<Self, PlanError> {
        let owner = meta.name.as_deref().unwrap_or_default();
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let annotations = meta.annotations.as_ref();
        let named = ChildName::of(owner, suffix).and_then(|name| {
            let selector = labels::pod_selector(component, &name, namespace);
            Ok((labels::pod_labels(&selector, &spec.template_labels, field)?, name))
        });
        let (version, (pod_labels, name), ..) = (
            version,
            named,
            replicas_or_autoscaling(spec, field),
            availability::check_autoscaling(spec, spec, field),
            one_budget(spec, field),
            resources::check_resource_claims(spec.resources.as_ref(), field),
        )
            .all()?;
        let mirror = Mirror::default();
        let network_policies = false;
        Ok(Self {
            owner,
            name,
            namespace,
            version,
            spec,
            pod_labels,
            annotations,
            component,
            mirror,
            network_policies,
        })
    }

    /// Refuses a component that its version of Harbor does not have. Without the version annotation nothing is
    /// refused.
    pub fn within(self, feature: Feature) -> Result<Self, PlanError> {
        if self.annotation(VERSION_ANNOTATION).is_some() {
            self.version.require(feature, format_args!("this {}", self.component))?;
        }
        Ok(self)
    }

    /// The same with other settings of its pods.
    pub fn with_spec<'b>(&'b self, spec: &'b ComponentSpec) -> Instance<'b> {
        Instance { spec, ..self.clone() }
    }

    /// Metadata of the child called `name`.
    pub fn metadata(&self, name: impl Into<String>) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.into()),
            namespace: Some(self.namespace.into()),
            ..ObjectMeta::default()
        }
    }

    /// Metadata of the children that have the name of the component.
    pub fn own_metadata(&self) -> ObjectMeta {
        self.metadata(&*self.name)
    }

    /// The selector of its pods.
    pub fn selector(&self) -> BTreeMap<String, String> {
        labels::pod_selector(self.component, &self.name, self.namespace)
    }

    /// The labels of every child, by which a ServiceMonitor selects the Service.
    pub fn child_labels(&self) -> BTreeMap<String, String> {
        [(COMPONENT_LABEL, self.component), (INSTANCE_LABEL, self.owner)]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into()
    }

    /// The component, as in the names of its children.
    pub const fn component(&self) -> &'static str {
        self.component
    }

    /// An annotation of the object.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.annotations?.get(key).map(String::as_str)
    }

    /// The image that its spec names, otherwise the image `name` of its version of Harbor.
    pub fn image(&self, name: &str) -> String {
        named_image(&self.spec.image)
            .map_or_else(|| self.mirror.harbor(name, &self.version), ToOwned::to_owned)
    }

    /// The Service in front of its pods.
    pub fn service(
        &self,
        ports: impl IntoIterator<Item = ServicePort>,
        annotations: BTreeMap<String, String>,
        network: Option<&Network>,
    ) -> Service {
        let annotations = Some(annotations).filter(|annotations| !annotations.is_empty());
        let mut spec = ServiceSpec {
            selector: Some(self.selector()),
            ports: Some(ports.into_iter().collect()),
            ..ServiceSpec::default()
        };
        families(&mut spec, network);
        Service {
            metadata: ObjectMeta { annotations, ..self.own_metadata() },
            spec: Some(spec),
            status: None,
        }
    }

    /// A ConfigMap with one file.
    pub fn config_map(&self, file: &str, content: impl Into<String>) -> ConfigMap {
        ConfigMap {
            metadata: self.own_metadata(),
            data: Some([(file.to_owned(), content.into())].into()),
            ..ConfigMap::default()
        }
    }

    /// A Secret. It sets `data`, never `stringData`, which the API server merges into `data` and does not
    /// return.
    pub fn secret<'k>(&self, entries: impl IntoIterator<Item = (&'k str, Vec<u8>)>) -> Secret {
        let data = entries.into_iter().map(|(key, value)| (key.to_owned(), ByteString(value))).collect();
        Secret {
            metadata: self.own_metadata(),
            type_: Some("Opaque".into()),
            data: Some(data),
            ..Secret::default()
        }
    }

    /// The NetworkPolicy that allows traffic to these named ports of its pods only, if the object asks for
    /// network policies.
    pub fn network_policy(&self, ports: impl IntoIterator<Item = &'static str>) -> Option<NetworkPolicy> {
        let metadata = self.metadata(format!("{}-ingress", self.name));
        self.network_policies.then(|| network_policy::ingress_policy(metadata, self.selector(), ports))
    }

    /// The NetworkPolicy that denies all egress of its pods, if the object asks for network policies.
    pub fn no_egress(&self) -> Option<NetworkPolicy> {
        let metadata = self.metadata(format!("{}-egress", self.name));
        self.network_policies.then(|| network_policy::no_egress_policy(metadata, self.selector()))
    }
}

/// Sets the IP families of a Service: those that the user lists, in that order, otherwise one family.
/// Kubernetes also defaults to one, but a Service that had two keeps both unless the policy is set.
fn families(service: &mut ServiceSpec, network: Option<&Network>) {
    let Some((network, policy)) = network.and_then(|network| Some((network, network.ip_family_policy?)))
    else {
        service.ip_family_policy = Some(IpFamilyPolicy::SingleStack.as_str().into());
        return;
    };
    let mut listed: Vec<String> = Vec::new();
    for family in &network.ip_families {
        if !listed.contains(family) {
            listed.push(family.clone());
        }
    }
    service.ip_family_policy = Some(policy.as_str().into());
    service.ip_families = Some(listed).filter(|listed| !listed.is_empty());
}

/// Refuses a budget with both limits or with none. The API server refuses both only when the operator applies
/// the budget, and it accepts none.
fn one_budget(spec: &ComponentSpec, field: &str) -> Result<(), PlanError> {
    match &spec.pod_disruption_budget {
        Some(budget) if budget.min_available.is_some() == budget.max_unavailable.is_some() => {
            Err(PlanError::invalid(
                format_args!("{field}.podDisruptionBudget"),
                "needs exactly one of minAvailable and maxUnavailable",
                "keep one of them, or remove the budget",
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses `replicas` beside an autoscaler: each would undo the other's changes.
fn replicas_or_autoscaling(spec: &ComponentSpec, field: &str) -> Result<(), PlanError> {
    if spec.autoscaling.is_some() && spec.replicas.is_some() {
        return Err(PlanError::invalid(
            format_args!("{field}.replicas"),
            "is set although an autoscaler chooses the number of pods",
            "remove replicas or autoscaling",
        ));
    }
    Ok(())
}
