//! Pods, and the templates of pods.

use crate::kinds::value::{child, fill, has, items_mut, set, text};
use serde_json::{Value, json};

/// A pod itself has more defaults than a template.
pub(super) fn pod(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    self::spec(spec);
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        set(spec, "terminationGracePeriodSeconds", 1);
    }
    fill(spec, "enableServiceLinks", true);
    let host_network = spec["hostNetwork"] == json!(true);
    for field in ["containers", "initContainers"] {
        for container in items_mut(spec, field) {
            if let Some(resources) = container.get_mut("resources")
                && let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned()
                && let Some(requests) = child(resources, "requests")
            {
                limits.into_iter().for_each(|(name, limit)| fill(requests, &name, limit));
            }
            if host_network {
                for port in items_mut(container, "ports") {
                    let number = port["containerPort"].clone();
                    fill(port, "hostPort", number);
                }
            }
        }
    }
    if let Some(status) = object.get_mut("status") {
        addresses(status);
    }
}

/// Sets `podIPs` from `podIP` or the reverse.
fn addresses(status: &mut Value) {
    let first = status["podIPs"][0]["ip"].as_str().unwrap_or_default().to_owned();
    let one = text(status, "podIP").to_owned();
    if one.is_empty() && !first.is_empty() {
        set(status, "podIP", first);
    } else if one != first {
        set(status, "podIPs", json!([{"ip": one}]));
    }
}

/// The spec of a pod or of a template.
pub(super) fn spec(spec: &mut Value) {
    let account = match text(spec, "serviceAccountName") {
        "" => text(spec, "serviceAccount").to_owned(),
        name => name.to_owned(),
    };
    if !account.is_empty() {
        set(spec, "serviceAccountName", account.clone());
        set(spec, "serviceAccount", account);
    }
    fill(spec, "dnsPolicy", "ClusterFirst");
    fill(spec, "restartPolicy", "Always");
    fill(spec, "securityContext", json!({}));
    fill(spec, "terminationGracePeriodSeconds", 30);
    fill(spec, "schedulerName", "default-scheduler");
    items_mut(spec, "volumes").for_each(volume);
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        items_mut(spec, field).for_each(container);
    }
}

fn container(container: &mut Value) {
    let policy = pull_policy(text(container, "image"));
    fill(container, "imagePullPolicy", policy);
    fill(container, "terminationMessagePath", "/dev/termination-log");
    fill(container, "terminationMessagePolicy", "File");
    for port in items_mut(container, "ports") {
        fill(port, "protocol", "TCP");
    }
    for variable in items_mut(container, "env") {
        if let Some(field) = variable.pointer_mut("/valueFrom/fieldRef") {
            fill(field, "apiVersion", "v1");
        }
        if let Some(file) = variable.pointer_mut("/valueFrom/fileKeyRef") {
            fill(file, "optional", false);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(name) {
            self::probe(probe);
        }
    }
    for moment in ["postStart", "preStop"] {
        if let Some(get) = container.pointer_mut(&format!("/lifecycle/{moment}/httpGet")) {
            http_get(get);
        }
    }
}

/// By default, an image is pulled each time only if its tag may change.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or(image);
    let (name, digest) = name.split_once('@').map_or((name, ""), |(name, digest)| (name, digest));
    match name.split_once(':') {
        Some((_, "latest")) => "Always",
        None if digest.is_empty() && !image.is_empty() => "Always",
        _ => "IfNotPresent",
    }
}

fn probe(probe: &mut Value) {
    for (field, value) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        fill(probe, field, value);
    }
    if let Some(get) = probe.get_mut("httpGet") {
        http_get(get);
    }
    if let Some(grpc) = probe.get_mut("grpc") {
        fill(grpc, "service", "");
    }
}

fn http_get(get: &mut Value) {
    fill(get, "path", "/");
    fill(get, "scheme", "HTTP");
}

const SOURCES: [&str; 31] = [
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "persistentVolumeClaim",
    "photonPersistentDisk",
    "portworxVolume",
    "projected",
    "quobyte",
    "rbd",
    "scaleIO",
    "secret",
    "storageos",
    "vsphereVolume",
    "podCertificate",
];

fn volume(volume: &mut Value) {
    if !SOURCES.iter().any(|source| has(volume, source)) {
        set(volume, "emptyDir", json!({}));
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.get_mut(source) {
            fill(source, "defaultMode", 0o644);
        }
    }
    if let Some(path) = volume.get_mut("hostPath") {
        fill(path, "type", "");
    }
    if let Some(image) = volume.get_mut("image") {
        let policy = pull_policy(text(image, "reference"));
        fill(image, "pullPolicy", policy);
    }
    if let Some(downward) = volume.get_mut("downwardAPI") {
        fields(downward);
    }
    if let Some(projected) = volume.get_mut("projected") {
        for source in items_mut(projected, "sources") {
            if let Some(downward) = source.get_mut("downwardAPI") {
                fields(downward);
            }
            if let Some(token) = source.get_mut("serviceAccountToken") {
                fill(token, "expirationSeconds", 3600);
            }
        }
    }
    if let Some(spec) = volume.pointer_mut("/ephemeral/volumeClaimTemplate/spec") {
        fill(spec, "volumeMode", "Filesystem");
    }
    if let Some(iscsi) = volume.get_mut("iscsi") {
        fill(iscsi, "iscsiInterface", "default");
    }
}

fn fields(downward: &mut Value) {
    for item in items_mut(downward, "items") {
        if let Some(field) = item.get_mut("fieldRef") {
            fill(field, "apiVersion", "v1");
        }
    }
}
