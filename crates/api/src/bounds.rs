//! How much every list, map and text of an object may hold, so that no object costs the operator more than it is worth.
//!
//! [`bound`] gives every node of a schema a bound that has none from its type: by `LISTS`, `MAPS` and `TEXTS` where
//! the field is listed there, and else the default.
//!
//! How the numbers were chosen:
//!
//! - None refuses what ever was of use. Kubernetes refuses longer names and label values in the end; a longer path, image
//!   reference or environment variable works nowhere.
//! - What makes the operator read is bounded most tightly: an object of a component names at most about 1,000 Secrets and
//!   ConfigMaps, almost all of them in environment variables (a test counts them).
//! - The names of a map's entries have no bound of their own: a schema has none to offer. They count towards the size of the
//!   object, which etcd limits to 1.5 MiB.

use crate::{crds::below, v1beta1::name::ObjectName};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrBool,
};

/// Items of a list: more hosts, tolerations or references than any installation has.
pub const ITEMS: i64 = 64;

/// Entries of a map: more labels, node labels or options than any object has.
pub const ENTRIES: i64 = 64;

/// Characters of a text: the longest path Linux takes. URLs, distinguished names and filters are shorter.
pub const CHARACTERS: i64 = 4096;

/// Characters of a number or a quantity written as text.
pub const DIGITS: i64 = 64;

/// What a namespace or the name of a container looks like: a DNS label, or nothing.
pub const LABEL_PATTERN: &str = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$";

/// Lists for which the default bound is too small or too large, by the end of the path.
const LISTS: [(&str, i64); 16] = [
    // A Service has one or two.
    (".ipFamilies", 2),
    // Each may name objects, in each of its variables; they run one after the other before a pod starts.
    (".initContainers", 8),
    (".initContainers[].envFrom", 16),
    // Each may name a Secret.
    (".extraEnv", 128),
    // JobService keeps one logger to files; each may have a volume of its own.
    (".files", 4),
    // Each names an object.
    (".projected.sources", 16),
    // Of Harbor's projects, whose lists grow with the years.
    (".cveAllowList", 2048),
    (".cveAllowlist.items", 2048),
    (".memberships", 1024),
    (".spec.labels", 256),
    (".spec.policies", 256),
    // Keys of one object that is read once.
    (".items", 256),
    // Companies list every subnet and every domain.
    (".noProxy", 256),
    (".loadBalancerSourceRanges", 256),
    (".namespaceSelector.matchExpressions[].values", 1024),
    (".metricRelabelings", 128),
];

/// Maps for which the default bound is too small, by the end of the path.
const MAPS: [(&str, i64); 2] = [
    // Ingress controllers and load balancers are configured by annotations.
    (".annotations", 128),
    ("Annotations", 128),
];

/// What a text is, which says how long it may be and how it looks.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// The name of an object: a segment of a path. Empty where the old operator allowed that.
    Name,
    /// A namespace, or another DNS label.
    Namespace,
    /// A key of a Secret or a ConfigMap.
    Key,
    /// As long as this.
    Most(i64),
}

/// The value of a label.
const LABEL: Text = Text::Most(63);

/// A host name or an address.
const HOST: Text = Text::Most(253);

/// An image with a name, a tag and a digest.
const IMAGE: Text = Text::Most(512);

/// What people write or programs say: the value of an annotation or a variable, a message. As long as a message of a
/// Kubernetes condition.
const PROSE: Text = Text::Most(32_768);

/// What texts are, by the end of the path.
const TEXTS: [(&str, Text); 64] = [
    ("Ref", Text::Name),
    ("Refs[]", Text::Name),
    (".claimName", Text::Name),
    (".secretName", Text::Name),
    (".serviceAccountName", Text::Name),
    (".serviceAccount", Text::Name),
    ("ClassName", Text::Name),
    (".harborServerConfig", Text::Name),
    (".sectionName", Text::Name),
    (".spec.volumeName", Text::Name),
    (".glusterfs.endpoints", Text::Name),
    ("Ref.name", Text::Name),
    ("Refs[].name", Text::Name),
    ("Issuer.name", Text::Name),
    (".imagePullSecrets[].name", Text::Name),
    (".secret.name", Text::Name),
    (".configMap.name", Text::Name),
    (".clusterTrustBundle.name", Text::Name),
    (".dataSource.name", Text::Name),
    (".ownerReferences[].name", Text::Name),
    (".metadata.name", Text::Name),
    (".metadata.generateName", HOST),
    (".metadata.namespace", Text::Namespace),
    ("Ref.namespace", Text::Namespace),
    ("Refs[].namespace", Text::Namespace),
    (".containerName", Text::Namespace),
    (".claims[].name", Text::Namespace),
    (".claims[].request", Text::Namespace),
    (".secretKeyRef.key", Text::Key),
    (".configMapKeyRef.key", Text::Key),
    (".items[].key", Text::Key),
    ("Ref.key", Text::Key),
    ("abels{}", LABEL),
    (".nodeSelector{}", LABEL),
    (".matchExpressions[].values[]", LABEL),
    (".tolerations[].value", LABEL),
    (".tolerations[].key", Text::Most(317)),
    (".matchExpressions[].key", Text::Most(317)),
    (".conditions[].type", Text::Most(316)),
    (".reason", Text::Most(1024)),
    (".host", HOST),
    ("Host", HOST),
    (".hostnames[]", HOST),
    (".noProxy[]", HOST),
    (".loadBalancerSourceRanges[]", LABEL),
    (".clusterIP", LABEL),
    (".loadBalancerIP", LABEL),
    (".image", IMAGE),
    (".imageSource.repository", IMAGE),
    (".volumeSource.image.reference", IMAGE),
    (".volume.image.reference", IMAGE),
    ("Repository[]", IMAGE),
    (".tagSuffix", Text::Most(128)),
    (".cveAllowList[]", Text::Most(255)),
    (".cveAllowlist.items[]", Text::Most(255)),
    (".memberships[].name", Text::Most(255)),
    (".extraEnv[].name", Text::Most(1024)),
    (".size", Text::Most(DIGITS)),
    (".storage", Text::Most(DIGITS)),
    (".storageQuota", Text::Most(DIGITS)),
    ("nnotations{}", PROSE),
    (".extraEnv[].value", PROSE),
    (".message", PROSE),
    (".initContainers[].args[]", PROSE),
];

/// Bounds everything below a schema that is not bounded yet.
pub fn bound(schema: &mut JSONSchemaProps) {
    bound_at("", schema);
}

fn bound_at(path: &str, schema: &mut JSONSchemaProps) {
    let is_map = matches!(schema.additional_properties, Some(JSONSchemaPropsOrBool::Schema(_)))
        || schema.x_kubernetes_preserve_unknown_fields == Some(true);
    match schema.type_.as_deref() {
        _ if schema.x_kubernetes_int_or_string == Some(true) => {
            schema.max_length.get_or_insert(DIGITS);
        }
        Some("array") => {
            schema.max_items.get_or_insert(listed(&LISTS, path).unwrap_or(ITEMS));
        }
        Some("object") if is_map => {
            schema.max_properties.get_or_insert(listed(&MAPS, path).unwrap_or(ENTRIES));
        }
        Some("string") if schema.enum_.is_none() && schema.format.is_none() => {
            listed(&TEXTS, path).unwrap_or(Text::Most(CHARACTERS)).bound(schema);
        }
        _ => {}
    }
    for (name, schema) in below(schema) {
        let path = match name {
            None => format!("{path}[]"),
            Some("") => format!("{path}{{}}"),
            Some(name) => format!("{path}.{name}"),
        };
        bound_at(&path, schema);
    }
}

impl Text {
    /// What Kubernetes asks of the keys of Secrets and ConfigMaps.
    const KEY_PATTERN: &'static str = "^[-._a-zA-Z0-9]+$";

    fn bound(self, schema: &mut JSONSchemaProps) {
        let (most, pattern) = match self {
            Self::Name => (253, Some(ObjectName::OPTIONAL_PATTERN)),
            Self::Namespace => (63, Some(LABEL_PATTERN)),
            Self::Key => (253, Some(Self::KEY_PATTERN)),
            Self::Most(most) => (most, None),
        };
        schema.max_length.get_or_insert(most);
        if let Some(pattern) = pattern {
            schema.pattern.get_or_insert_with(|| pattern.to_owned());
        }
    }
}

/// The first entry of a table that a path ends with.
fn listed<T: Copy>(table: &[(&str, T)], path: &str) -> Option<T> {
    table.iter().find(|(end, _)| path.ends_with(end)).map(|(_, bound)| *bound)
}
