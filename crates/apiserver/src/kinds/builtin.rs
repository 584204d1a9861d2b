//! The table of built-in kinds.

use super::resource::{
    Extra, Origin, Resource, Scale, Subresources,
    Verb::{self, Create, Delete, DeleteCollection, Get, List, Patch, Update, Watch},
};
use crate::schema::Schema;

const STANDARD: &[Verb] = &[Create, Delete, DeleteCollection, Get, List, Patch, Update, Watch];
const NOT_AS_COLLECTION: &[Verb] = &[Create, Delete, Get, List, Patch, Update, Watch];
const CREATE: &[Verb] = &[Create];

const POD: &[Extra] = &[
    Extra { name: "binding", kind: "Binding", foreign: None, verbs: CREATE },
    Extra { name: "ephemeralcontainers", kind: "Pod", foreign: None, verbs: &[Get, Patch, Update] },
    Extra { name: "eviction", kind: "Eviction", foreign: Some(("policy", "v1")), verbs: CREATE },
    Extra { name: "log", kind: "Pod", foreign: None, verbs: &[Get] },
    Extra { name: "resize", kind: "Pod", foreign: None, verbs: &[Get, Patch, Update] },
];
const NAMESPACE: &[Extra] = &[Extra { name: "finalize", kind: "Namespace", foreign: None, verbs: &[Update] }];
const SERVICE_ACCOUNT: &[Extra] = &[Extra {
    name: "token",
    kind: "TokenRequest",
    foreign: Some(("authentication.k8s.io", "v1")),
    verbs: CREATE,
}];

const ADMISSION: &str = "admissionregistration.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const NETWORKING: &str = "networking.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Groups in the order of their priority in discovery, kinds by name.
#[rustfmt::skip]
const KINDS: &[Row] = &[
    row("", "v1", "configmaps", "ConfigMap").short(&["cm"]),
    row("", "v1", "endpoints", "Endpoints")
        .short(&["ep"])
        .deprecated("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
    row("", "v1", "events", "Event").short(&["ev"]),
    row("", "v1", "limitranges", "LimitRange").short(&["limits"]),
    row("", "v1", "namespaces", "Namespace").short(&["ns"]).cluster().verbs(NOT_AS_COLLECTION).status().extra(NAMESPACE),
    row("", "v1", "nodes", "Node").short(&["no"]).cluster().status(),
    row("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim").short(&["pvc"]).status(),
    row("", "v1", "persistentvolumes", "PersistentVolume").short(&["pv"]).cluster().status(),
    row("", "v1", "pods", "Pod").short(&["po"]).all().status().extra(POD).generations(),
    row("", "v1", "podtemplates", "PodTemplate").generations(),
    row("", "v1", "replicationcontrollers", "ReplicationController").short(&["rc"]).all().status().scale().generations(),
    row("", "v1", "resourcequotas", "ResourceQuota").short(&["quota"]).status(),
    row("", "v1", "secrets", "Secret"),
    row("", "v1", "serviceaccounts", "ServiceAccount").short(&["sa"]).extra(SERVICE_ACCOUNT),
    row("", "v1", "services", "Service").short(&["svc"]).all().status(),
    row("apps", "v1", "controllerrevisions", "ControllerRevision"),
    row("apps", "v1", "daemonsets", "DaemonSet").short(&["ds"]).all().status().generations(),
    row("apps", "v1", "deployments", "Deployment").short(&["deploy"]).all().status().scale().generations(),
    row("apps", "v1", "replicasets", "ReplicaSet").short(&["rs"]).all().status().scale().generations(),
    row("apps", "v1", "statefulsets", "StatefulSet").short(&["sts"]).all().status().scale().generations(),
    row("events.k8s.io", "v1", "events", "Event").short(&["ev"]).stored_as(""),
    row(AUTHENTICATION, "v1", "selfsubjectreviews", "SelfSubjectReview").cluster().verbs(CREATE),
    row(AUTHENTICATION, "v1", "tokenreviews", "TokenReview").cluster().verbs(CREATE),
    row(AUTHORIZATION, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview").verbs(CREATE),
    row(AUTHORIZATION, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview").cluster().verbs(CREATE),
    row(AUTHORIZATION, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview").cluster().verbs(CREATE),
    row(AUTHORIZATION, "v1", "subjectaccessreviews", "SubjectAccessReview").cluster().verbs(CREATE),
    row("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler").short(&["hpa"]).all().status().generations(),
    row("batch", "v1", "cronjobs", "CronJob").short(&["cj"]).all().status().generations(),
    row("batch", "v1", "jobs", "Job").all().status().generations(),
    row(NETWORKING, "v1", "ingressclasses", "IngressClass").cluster().generations(),
    row(NETWORKING, "v1", "ingresses", "Ingress").short(&["ing"]).status().generations(),
    row(NETWORKING, "v1", "networkpolicies", "NetworkPolicy").short(&["netpol"]).generations(),
    row("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget").short(&["pdb"]).status().generations().conditional(),
    row(RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding").cluster(),
    row(RBAC, "v1", "clusterroles", "ClusterRole").cluster(),
    row(RBAC, "v1", "rolebindings", "RoleBinding"),
    row(RBAC, "v1", "roles", "Role"),
    row("storage.k8s.io", "v1", "storageclasses", "StorageClass").short(&["sc"]).cluster(),
    row(ADMISSION, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration").cluster().extensions().generations().conditional(),
    row(ADMISSION, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration").cluster().extensions().generations().conditional(),
    row("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition").short(&["crd", "crds"]).cluster().extensions().status().generations().conditional(),
    row("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass").short(&["pc"]).cluster().generations(),
    row("coordination.k8s.io", "v1", "leases", "Lease").conditional(),
    row("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice").generations(),
];

/// The built-in kinds.
pub(super) fn resources() -> impl Iterator<Item = Resource> {
    KINDS.iter().map(Row::resource)
}

/// A row of the table.
#[derive(Clone, Copy)]
struct Row {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    kind: &'static str,
    short_names: &'static [&'static str],
    category: Option<&'static str>,
    scope: Scope,
    verbs: &'static [Verb],
    has_status: bool,
    scales: bool,
    extra: &'static [Extra],
    counts_generations: bool,
    update: Overwrite,
    storage_group: &'static str,
    deprecation: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Cluster,
    Namespaced,
}

/// What a PUT without a resource version does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overwrite {
    Succeeds,
    Fails,
}

const fn row(group: &'static str, version: &'static str, plural: &'static str, kind: &'static str) -> Row {
    Row {
        group,
        version,
        plural,
        kind,
        short_names: &[],
        category: None,
        scope: Scope::Namespaced,
        verbs: STANDARD,
        has_status: false,
        scales: false,
        extra: &[],
        counts_generations: false,
        update: Overwrite::Succeeds,
        storage_group: group,
        deprecation: None,
    }
}

impl Row {
    const fn short(self, short_names: &'static [&'static str]) -> Self {
        Self { short_names, ..self }
    }

    const fn cluster(self) -> Self {
        Self { scope: Scope::Cluster, ..self }
    }

    const fn verbs(self, verbs: &'static [Verb]) -> Self {
        Self { verbs, ..self }
    }

    const fn all(self) -> Self {
        Self { category: Some("all"), ..self }
    }

    const fn extensions(self) -> Self {
        Self { category: Some("api-extensions"), ..self }
    }

    const fn status(self) -> Self {
        Self { has_status: true, ..self }
    }

    const fn scale(self) -> Self {
        Self { scales: true, ..self }
    }

    const fn extra(self, extra: &'static [Extra]) -> Self {
        Self { extra, ..self }
    }

    const fn generations(self) -> Self {
        Self { counts_generations: true, ..self }
    }

    const fn conditional(self) -> Self {
        Self { update: Overwrite::Fails, ..self }
    }

    const fn stored_as(self, storage_group: &'static str) -> Self {
        Self { storage_group, ..self }
    }

    const fn deprecated(self, warning: &'static str) -> Self {
        Self { deprecation: Some(warning), ..self }
    }

    fn resource(&self) -> Resource {
        let definition = self.definition();
        Resource {
            group: self.group.to_owned(),
            version: self.version.to_owned(),
            kind: self.kind.to_owned(),
            list_kind: format!("{}List", self.kind),
            plural: self.plural.to_owned(),
            singular: self.kind.to_ascii_lowercase(),
            short_names: self.short_names.iter().map(ToString::to_string).collect(),
            categories: self.category.iter().map(ToString::to_string).collect(),
            namespaced: self.scope == Scope::Namespaced,
            verbs: self.verbs,
            subresources: Subresources {
                status: self.has_status,
                scale: self.scales.then(|| Scale {
                    spec_replicas: ".spec.replicas".to_owned(),
                    status_replicas: ".status.replicas".to_owned(),
                    label_selector: Some(".spec.selector".to_owned()),
                }),
                extra: self.extra,
            },
            counts_generations: self.counts_generations,
            unconditional_update: self.update == Overwrite::Succeeds,
            schema: Schema::builtin(&definition),
            definition,
            storage_group: self.storage_group.to_owned(),
            storage_version: self.version.to_owned(),
            storage_plural: self.plural.to_owned(),
            custom: None,
            structural: None,
            stored: None,
            conversion: None,
            selectable_fields: Vec::new(),
            columns: Vec::new(),
            deprecation: self.deprecation.map(str::to_owned),
            origin: Origin::Builtin,
        }
    }

    fn definition(&self) -> String {
        let package = match self.group {
            "" => "io.k8s.api.core",
            "apiextensions.k8s.io" => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
            group => {
                let first = group.split('.').next().unwrap_or(group);
                return format!("io.k8s.api.{first}.{}.{}", self.version, self.kind);
            }
        };
        format!("{package}.{}.{}", self.version, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::resources;
    use serde_json::{Value, json};

    fn words(verbs: &[super::Verb]) -> Vec<&'static str> {
        verbs.iter().map(|verb| verb.word()).collect()
    }

    #[test]
    fn kinds_are_what_discovery_of_kubernetes_says_they_are() {
        let mut ours = Vec::new();
        for kind in resources() {
            let of = kind.api_version();
            let entry = |name: &str, kind_name: &str, verbs: Value| {
                json!({
                    "of": of, "name": name, "singularName": "", "namespaced": kind.namespaced, "kind": kind_name,
                    "verbs": verbs,
                })
            };
            let mut own = entry(&kind.plural, &kind.kind, json!(words(kind.verbs)));
            own["singularName"] = kind.singular.clone().into();
            for (field, list) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
                if !list.is_empty() {
                    own[field] = json!(list);
                }
            }
            ours.push(own);
            let mut parts: Vec<Value> = Vec::new();
            for extra in kind.subresources.extra {
                let name = format!("{}/{}", kind.plural, extra.name);
                let mut part = entry(&name, extra.kind, json!(words(extra.verbs)));
                if let Some((group, version)) = extra.foreign {
                    part["group"] = group.into();
                    part["version"] = version.into();
                }
                parts.push(part);
            }
            let change = || json!(["get", "patch", "update"]);
            if kind.subresources.scale.is_some() {
                let mut part = entry(&format!("{}/scale", kind.plural), "Scale", change());
                part["group"] = "autoscaling".into();
                part["version"] = "v1".into();
                parts.push(part);
            }
            if kind.subresources.status {
                parts.push(entry(&format!("{}/status", kind.plural), &kind.kind, change()));
            }
            parts.sort_by_key(|part| part["name"].to_string());
            ours.extend(parts);
        }
        let theirs: Vec<Value> =
            serde_json::from_str(include_str!("discovered.json")).expect("what was discovered");
        assert_eq!(ours, theirs);
    }
}
