//! The OpenAPI definitions of the built-in kinds.

use super::published;
use k8s_openapi::{
    ListableResource, Resource,
    api::{
        admissionregistration::v1 as admissionregistration, apps::v1 as apps,
        authentication::v1 as authentication, authorization::v1 as authorization,
        autoscaling::v1 as autoscaling, autoscaling::v2 as autoscaling2, batch::v1 as batch,
        coordination::v1 as coordination, core::v1 as core, discovery::v1 as discovery, events::v1 as events,
        networking::v1 as networking, policy::v1 as policy, rbac::v1 as rbac, scheduling::v1 as scheduling,
        storage::v1 as storage,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions,
    apimachinery::pkg::{apis::meta::v1 as meta, runtime::RawExtension},
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::LazyLock};

/// What precedes the name of a definition in a reference to it.
pub(super) const REFERENCE: &str = "#/components/schemas/";

static DEFINITIONS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let mut definitions = generated();
    published::amend(&mut definitions);
    definitions
});

/// Every definition by its name (`io.k8s.api.apps.v1.Deployment`), references as `#/components/schemas/NAME`, with the
/// `x-kubernetes-*` extensions that Kubernetes publishes.
pub(crate) fn definitions() -> &'static BTreeMap<String, Value> {
    &DEFINITIONS
}

/// The definitions of k8s-openapi, with their kinds.
fn generated() -> BTreeMap<String, Value> {
    let mut kinds = Kinds::default();
    kinds
        .listed::<core::ConfigMap>()
        .listed::<core::Endpoints>()
        .listed::<core::Event>()
        .listed::<core::LimitRange>()
        .listed::<core::Namespace>()
        .listed::<core::Node>()
        .listed::<core::PersistentVolume>()
        .listed::<core::PersistentVolumeClaim>()
        .listed::<core::Pod>()
        .listed::<core::PodTemplate>()
        .listed::<core::ReplicationController>()
        .listed::<core::ResourceQuota>()
        .listed::<core::Secret>()
        .listed::<core::Service>()
        .listed::<core::ServiceAccount>()
        .kind::<core::Binding>();
    kinds
        .listed::<apps::ControllerRevision>()
        .listed::<apps::DaemonSet>()
        .listed::<apps::Deployment>()
        .listed::<apps::ReplicaSet>()
        .listed::<apps::StatefulSet>()
        .listed::<batch::CronJob>()
        .listed::<batch::Job>()
        .listed::<networking::Ingress>()
        .listed::<networking::IngressClass>()
        .listed::<networking::IPAddress>()
        .listed::<networking::NetworkPolicy>()
        .listed::<networking::ServiceCIDR>()
        .listed::<policy::PodDisruptionBudget>()
        .kind::<policy::Eviction>()
        .listed::<autoscaling::HorizontalPodAutoscaler>()
        .kind::<autoscaling::Scale>()
        .listed::<autoscaling2::HorizontalPodAutoscaler>();
    kinds
        .listed::<rbac::ClusterRole>()
        .listed::<rbac::ClusterRoleBinding>()
        .listed::<rbac::Role>()
        .listed::<rbac::RoleBinding>()
        .listed::<coordination::Lease>()
        .listed::<events::Event>()
        .listed::<discovery::EndpointSlice>()
        .listed::<storage::CSIDriver>()
        .listed::<storage::CSINode>()
        .listed::<storage::CSIStorageCapacity>()
        .listed::<storage::StorageClass>()
        .listed::<storage::VolumeAttachment>()
        .listed::<scheduling::PriorityClass>()
        .listed::<apiextensions::CustomResourceDefinition>()
        .listed::<admissionregistration::MutatingWebhookConfiguration>()
        .listed::<admissionregistration::ValidatingAdmissionPolicy>()
        .listed::<admissionregistration::ValidatingAdmissionPolicyBinding>()
        .listed::<admissionregistration::ValidatingWebhookConfiguration>();
    kinds
        .kind::<authorization::LocalSubjectAccessReview>()
        .kind::<authorization::SelfSubjectAccessReview>()
        .kind::<authorization::SelfSubjectRulesReview>()
        .kind::<authorization::SubjectAccessReview>()
        .kind::<authentication::SelfSubjectReview>()
        .kind::<authentication::TokenRequest>()
        .kind::<authentication::TokenReview>()
        .kind::<meta::APIGroup>()
        .kind::<meta::APIGroupList>()
        .kind::<meta::APIResourceList>()
        .kind::<meta::APIVersions>()
        .kind::<meta::Status>()
        .named::<meta::DeleteOptions>("DeleteOptions")
        .named::<meta::WatchEvent<RawExtension>>("WatchEvent")
        .plain::<meta::Condition>()
        .plain::<meta::ListMeta>()
        .plain::<meta::Patch>();
    kinds.definitions()
}

/// The kinds whose definitions are used.
struct Kinds {
    generator: SchemaGenerator,
    identities: Vec<(String, Value)>,
    lists: Vec<(String, Value)>,
}

impl Default for Kinds {
    fn default() -> Self {
        Self {
            generator: SchemaSettings::openapi3().into_generator(),
            identities: Vec::new(),
            lists: Vec::new(),
        }
    }
}

impl Kinds {
    fn plain<T: JsonSchema>(&mut self) -> &mut Self {
        let _reference = self.generator.subschema_for::<T>();
        self
    }

    fn kind<T: JsonSchema + Resource>(&mut self) -> &mut Self {
        self.identities.push((T::schema_name().into_owned(), identity::<T>(T::KIND)));
        self.plain::<T>()
    }

    /// A kind of `v1` that is not a resource.
    fn named<T: JsonSchema>(&mut self, kind: &str) -> &mut Self {
        self.identities
            .push((T::schema_name().into_owned(), json!([{"group": "", "version": "v1", "kind": kind}])));
        self.plain::<T>()
    }

    fn listed<T: JsonSchema + ListableResource>(&mut self) -> &mut Self {
        let name = T::schema_name();
        let package = name.rsplit_once('.').map_or("", |(package, _)| package);
        self.lists.push((format!("{package}.{}", T::LIST_KIND), list::<T>()));
        self.kind::<T>()
    }

    fn definitions(mut self) -> BTreeMap<String, Value> {
        let mut definitions: BTreeMap<String, Value> =
            self.generator.take_definitions(true).into_iter().chain(self.lists).collect();
        for (name, identity) in self.identities {
            if let Some(definition) = definitions.get_mut(&name).and_then(Value::as_object_mut) {
                definition.insert("x-kubernetes-group-version-kind".into(), identity);
            }
        }
        definitions
    }
}

fn identity<T: Resource>(kind: &str) -> Value {
    json!([{"group": T::GROUP, "version": T::VERSION, "kind": kind}])
}

/// The definition of the list of a kind, which is generic in k8s-openapi.
fn list<T: JsonSchema + ListableResource>() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "apiVersion".into(),
        json!({"type": "string", "description": "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"}),
    );
    properties.insert(
        "kind".into(),
        json!({"type": "string", "description": "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"}),
    );
    properties.insert(
        "metadata".into(),
        json!({
            "description": "Standard list metadata.",
            "allOf": [{"$ref": format!("{REFERENCE}{}", meta::ListMeta::schema_name())}],
            "default": {},
        }),
    );
    properties.insert(
        "items".into(),
        json!({
            "description": format!("items is the list of {}.", T::KIND),
            "type": "array",
            "items": {"$ref": format!("{REFERENCE}{}", T::schema_name())},
        }),
    );
    json!({
        "description": format!("{} is a list of {}.", T::LIST_KIND, T::KIND),
        "type": "object",
        "properties": properties,
        "required": ["items"],
        "x-kubernetes-group-version-kind": identity::<T>(T::LIST_KIND),
    })
}
