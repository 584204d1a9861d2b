//! The fields that an object of a built-in kind has when nothing is set, because the Go struct behind it
//! always has them.
//!
//! Both sides of every comparison have them, so that a manager does not become the owner of `.spec` because
//! it is the first to set a field in it. Custom kinds have no struct, and no such fields.

use serde_json::{Map, Value, json};
use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

/// By `apiVersion kind`, from the OpenAPI of Kubernetes: fields that are required or structs rather than pointers.
const ALWAYS_THERE: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy", r#"{"spec":{}}"#),
    ("admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding", r#"{"spec":{}}"#),
    ("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy", r#"{"spec":{},"status":{}}"#),
    (
        "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding",
        r#"{"spec":{"policyName":"","validationActions":null}}"#,
    ),
    (
        "apiextensions.k8s.io/v1 CustomResourceDefinition",
        r#"{"spec":{"group":"","names":{"plural":""},"scope":"","versions":null},"status":{"acceptedNames":{"plural":""}}}"#,
    ),
    (
        "apiregistration.k8s.io/v1 APIService",
        r#"{"spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}}"#,
    ),
    ("apps/v1 ControllerRevision", r#"{"data":null}"#),
    (
        "apps/v1 DaemonSet",
        r#"{"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"updateStrategy":{}},"status":{"currentNumberScheduled":0,"desiredNumberScheduled":0,"numberMisscheduled":0,"numberReady":0}}"#,
    ),
    (
        "apps/v1 Deployment",
        r#"{"spec":{"selector":null,"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}"#,
    ),
    (
        "apps/v1 ReplicaSet",
        r#"{"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}}"#,
    ),
    (
        "apps/v1 StatefulSet",
        r#"{"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"updateStrategy":{}},"status":{"replicas":0}}"#,
    ),
    (
        "autoscaling/v1 HorizontalPodAutoscaler",
        r#"{"spec":{"maxReplicas":0,"scaleTargetRef":{"name":""}},"status":{"currentReplicas":0,"desiredReplicas":0}}"#,
    ),
    ("autoscaling/v1 Scale", r#"{"spec":{},"status":{"replicas":0}}"#),
    (
        "autoscaling/v2 HorizontalPodAutoscaler",
        r#"{"spec":{"maxReplicas":0,"scaleTargetRef":{"name":""}},"status":{"desiredReplicas":0}}"#,
    ),
    (
        "batch/v1 CronJob",
        r#"{"spec":{"jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}}},"schedule":""},"status":{}}"#,
    ),
    ("batch/v1 Job", r#"{"spec":{"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}"#),
    (
        "certificates.k8s.io/v1 CertificateSigningRequest",
        r#"{"spec":{"request":"","signerName":""},"status":{}}"#,
    ),
    ("certificates.k8s.io/v1 ClusterTrustBundle", r#"{"spec":{"trustBundle":""}}"#),
    (
        "certificates.k8s.io/v1 PodCertificateRequest",
        r#"{"spec":{"nodeName":"","nodeUID":"","podName":"","podUID":"","serviceAccountName":"","serviceAccountUID":"","signerName":"","stubPKCS10Request":""},"status":{}}"#,
    ),
    ("coordination.k8s.io/v1 Lease", r#"{"spec":{}}"#),
    ("discovery.k8s.io/v1 EndpointSlice", r#"{"addressType":""}"#),
    ("events.k8s.io/v1 Event", r#"{"deprecatedSource":{},"eventTime":null,"regarding":{}}"#),
    (
        "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
        r#"{"spec":{"priorityLevelConfiguration":{"name":""}},"status":{}}"#,
    ),
    ("flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration", r#"{"spec":{"type":""},"status":{}}"#),
    ("networking.k8s.io/v1 IPAddress", r#"{"spec":{"parentRef":null}}"#),
    ("networking.k8s.io/v1 Ingress", r#"{"spec":{},"status":{"loadBalancer":{}}}"#),
    ("networking.k8s.io/v1 IngressClass", r#"{"spec":{}}"#),
    ("networking.k8s.io/v1 NetworkPolicy", r#"{"spec":{"podSelector":{}}}"#),
    ("networking.k8s.io/v1 ServiceCIDR", r#"{"spec":{},"status":{}}"#),
    ("node.k8s.io/v1 RuntimeClass", r#"{"handler":""}"#),
    ("policy/v1 PodDisruptionBudget", r#"{"spec":{},"status":{}}"#),
    ("rbac.authorization.k8s.io/v1 ClusterRoleBinding", r#"{"roleRef":{"name":""}}"#),
    ("rbac.authorization.k8s.io/v1 RoleBinding", r#"{"roleRef":{"name":""}}"#),
    ("resource.k8s.io/v1 DeviceClass", r#"{"spec":{}}"#),
    ("resource.k8s.io/v1 DeviceTaintRule", r#"{"spec":{"taint":{"effect":"","key":""}},"status":{}}"#),
    ("resource.k8s.io/v1 ResourceClaim", r#"{"spec":{"devices":{}},"status":{}}"#),
    ("resource.k8s.io/v1 ResourceClaimTemplate", r#"{"spec":{"metadata":{},"spec":{"devices":{}}}}"#),
    (
        "resource.k8s.io/v1 ResourceSlice",
        r#"{"spec":{"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}"#,
    ),
    ("storage.k8s.io/v1 CSIDriver", r#"{"spec":{}}"#),
    ("storage.k8s.io/v1 CSINode", r#"{"spec":{"drivers":null},"status":{}}"#),
    ("storage.k8s.io/v1 CSIStorageCapacity", r#"{"storageClassName":""}"#),
    ("storage.k8s.io/v1 StorageClass", r#"{"provisioner":""}"#),
    (
        "storage.k8s.io/v1 VolumeAttachment",
        r#"{"spec":{"attacher":"","nodeName":"","source":{}},"status":{"attached":false}}"#,
    ),
    ("storage.k8s.io/v1 VolumeAttributesClass", r#"{"driverName":""}"#),
    (
        "storagemigration.k8s.io/v1 StorageVersionMigration",
        r#"{"spec":{"resource":{"group":"","resource":""}},"status":{}}"#,
    ),
    ("v1 Event", r#"{"involvedObject":{},"source":{}}"#),
    ("v1 LimitRange", r#"{"spec":{"limits":null}}"#),
    ("v1 Namespace", r#"{"spec":{},"status":{}}"#),
    (
        "v1 Node",
        r#"{"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}"#,
    ),
    ("v1 PersistentVolume", r#"{"spec":{},"status":{}}"#),
    ("v1 PersistentVolumeClaim", r#"{"spec":{"resources":{}},"status":{}}"#),
    ("v1 Pod", r#"{"spec":{"containers":null},"status":{}}"#),
    ("v1 PodTemplate", r#"{"template":{"metadata":{},"spec":{"containers":null}}}"#),
    ("v1 ReplicationController", r#"{"spec":{},"status":{"replicas":0}}"#),
    ("v1 ResourceQuota", r#"{"spec":{},"status":{}}"#),
    ("v1 Service", r#"{"spec":{},"status":{"loadBalancer":{}}}"#),
];

static BLANKS: LazyLock<BTreeMap<&str, Map<String, Value>>> = LazyLock::new(|| {
    ALWAYS_THERE.iter().filter_map(|(kind, json)| Some((*kind, serde_json::from_str(json).ok()?))).collect()
});

/// An object of the same kind with nothing set.
pub(crate) fn blank_like(object: &Value) -> Value {
    let mut blank = json!({"metadata": {}});
    for name in ["apiVersion", "kind"] {
        if let Some(value) = object.get(name) {
            blank[name] = value.clone();
        }
    }
    with_blanks(&blank).into_owned()
}

/// The object with the fields that are always there.
pub(crate) fn with_blanks(object: &Value) -> Cow<'_, Value> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let Some(blank) = BLANKS.get(format!("{} {}", text("apiVersion"), text("kind")).as_str()) else {
        return Cow::Borrowed(object);
    };
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fill(fields, blank);
    }
    Cow::Owned(object)
}

fn fill(fields: &mut Map<String, Value>, blank: &Map<String, Value>) {
    for (name, blank) in blank {
        match (fields.get_mut(name), blank) {
            (None, blank) => {
                fields.insert(name.clone(), blank.clone());
            }
            (Some(Value::Object(fields)), Value::Object(blank)) => fill(fields, blank),
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_an_object() {
        assert_eq!(BLANKS.len(), ALWAYS_THERE.len());
    }

    #[test]
    fn only_what_is_missing_is_filled_in() {
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"strategy": {"type": "Recreate"}}});
        assert_eq!(
            *with_blanks(&deployment),
            json!({
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "spec": {
                    "selector": null,
                    "strategy": {"type": "Recreate"},
                    "template": {"metadata": {}, "spec": {"containers": null}},
                },
                "status": {},
            })
        );
    }
}
