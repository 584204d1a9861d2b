//! Validates the objects that the operator writes with the published definitions of the third parties, if these are
//! available.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use api::thirdparty::{
    cert_manager::{Certificate, Issuer},
    cloud_native_pg::PostgresCluster,
    gateway::HTTPRoute,
    minio::Tenant,
    monitoring::ServiceMonitor,
    opstree::{RedisReplication, RedisSentinel},
    spotahome::RedisFailover,
    zalando::Postgresql,
};
use apiserver::ApiServer;
use k8s_openapi::{
    NamespaceResourceScope, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Resource,
    api::{Patch, PatchParams, PostParams},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{fmt::Debug, fs, path::Path};

/// Applies an object with every field of the type, with strict validation: the server refuses unknown fields and wrong
/// values.
async fn accepted<K>(definition: &str, spec: Value)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned,
{
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/thirdparty-crds")
        .join(format!("{definition}.yaml"));
    let Ok(text) = fs::read_to_string(&file) else {
        eprintln!("skipped: {} is not at hand", file.display());
        return;
    };
    let client = Client::new(ApiServer::builder().build().unwrap(), "default");
    let definition: CustomResourceDefinition = serde_saphyr::from_str(&text).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &definition).await.unwrap();

    let object: K = serde_json::from_value(json!({
        "apiVersion": K::api_version(&()), "kind": K::kind(&()), "metadata": {"name": "a"}, "spec": spec,
    }))
    .unwrap();
    let written = serde_json::to_value(&object).unwrap();
    assert_eq!(written["spec"], spec, "our type has every field");
    let params = PatchParams::apply("test").validation_strict();
    let stored: K =
        Api::default_namespaced(client).patch("a", &params, &Patch::Apply(&object)).await.unwrap();
    let stored = serde_json::to_value(&stored).unwrap();
    assert_eq!(without_defaults(&stored["spec"], &spec), spec, "nothing was pruned");
}

/// The stored object, reduced to the fields that were sent.
fn without_defaults(stored: &Value, sent: &Value) -> Value {
    match (stored, sent) {
        (Value::Object(stored), Value::Object(sent)) => sent
            .iter()
            .filter_map(|(field, sent)| Some((field.clone(), without_defaults(stored.get(field)?, sent))))
            .collect(),
        (Value::Array(stored), Value::Array(sent)) if stored.len() == sent.len() => {
            stored.iter().zip(sent).map(|(stored, sent)| without_defaults(stored, sent)).collect()
        }
        _ => stored.clone(),
    }
}

#[tokio::test]
async fn cert_manager_accepts_our_issuers_and_certificates() {
    accepted::<Issuer>("cert-manager.io_issuers", json!({"ca": {"secretName": "authority"}})).await;
    let certificate = json!({
        "secretName": "core-tls",
        "issuerRef": {"name": "authority", "kind": "Issuer", "group": "cert-manager.io"},
        "dnsNames": ["core"],
        "commonName": "core",
        "isCA": false,
        "duration": "2160h0m0s",
        "renewBefore": "360h0m0s",
        "usages": ["server auth", "client auth"],
        "privateKey": {"algorithm": "RSA", "encoding": "PKCS1", "size": 2048, "rotationPolicy": "Never"},
    });
    accepted::<Certificate>("cert-manager.io_certificates", certificate).await;
}

#[tokio::test]
async fn the_gateway_api_accepts_our_routes() {
    let parent = json!({
        "group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "infra", "name": "gateway",
        "sectionName": "https", "port": 443,
    });
    let filter = json!({"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": ["X-Real-Ip"]}});
    let rule = |paths: Value| {
        json!({
            "matches": paths,
            "filters": [filter],
            "backendRefs": [{"name": "core", "port": 80}],
            "timeouts": {"request": "0s", "backendRequest": "0s"},
        })
    };
    let prefix = json!([{"path": {"type": "PathPrefix", "value": "/v2/"}}]);
    let exact = json!([{"path": {"type": "Exact", "value": "/"}}]);
    let route = json!({
        "parentRefs": [parent], "hostnames": ["core.harbor.domain"], "rules": [rule(prefix), rule(exact)],
    });
    accepted::<HTTPRoute>("gateway.networking.k8s.io_httproutes", route).await;
}

#[tokio::test]
async fn the_prometheus_operator_accepts_our_monitors() {
    let relabeling = json!({
        "action": "hashmod", "sourceLabels": ["pod"], "separator": "/", "regex": "(.*)", "modulus": 2,
        "targetLabel": "shard", "replacement": "$1",
    });
    let monitor = json!({
        "selector": {"matchLabels": {"app.kubernetes.io/instance": "harbor"}},
        "jobLabel": "app.kubernetes.io/name",
        "endpoints": [{
            "port": "https-metrics", "path": "/metrics", "interval": "30s", "scheme": "https",
            "tlsConfig": {
                "ca": {"secret": {"name": "core-tls", "key": "ca.crt"}},
                "cert": {"configMap": {"name": "core-tls", "key": "tls.crt"}},
                "keySecret": {"name": "core-tls", "key": "tls.key"},
                "serverName": "core",
                "insecureSkipVerify": false,
            },
            "relabelings": [relabeling],
            "metricRelabelings": [{"action": "drop", "sourceLabels": ["__name__"], "regex": "go_.*"}],
        }],
    });
    accepted::<ServiceMonitor>("monitoring.coreos.com_servicemonitors", monitor).await;
}

#[tokio::test]
async fn both_operators_of_redis_accept_ours() {
    let resources = json!({"limits": {"memory": "1Gi"}, "requests": {"cpu": "100m"}});
    let claim = json!({
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "fast",
    });
    let pods = json!({
        "replicas": 3, "image": "redis:6.2.6-alpine", "imagePullPolicy": "Always",
        "imagePullSecrets": [{"name": "mirror"}], "resources": resources,
    });
    let mut servers = pods.clone();
    servers["serviceAccountName"] = json!("redis");
    servers["storage"] = json!({
        "keepAfterDeletion": true,
        "persistentVolumeClaim": {"metadata": {"name": "acme", "labels": {"a": "b"}}, "spec": claim},
    });
    let failover = json!({"redis": servers, "sentinel": pods, "auth": {"secretPath": "acme-redis"}});
    accepted::<RedisFailover>("databases.spotahome.com_redisfailovers", failover).await;

    let pods = json!({
        "image": "redis", "imagePullPolicy": "Always", "imagePullSecrets": [{"name": "mirror"}],
        "resources": resources, "redisSecret": {"name": "acme-redis", "key": "password"},
    });
    let replication = json!({
        "clusterSize": 3, "kubernetesConfig": pods, "serviceAccountName": "redis",
        "storage": {"keepAfterDelete": true, "volumeClaimTemplate": {"spec": claim}},
    });
    accepted::<RedisReplication>("redis.redis.opstreelabs.in_redisreplications", replication).await;
    let sentinel = json!({
        "clusterSize": 3, "kubernetesConfig": pods,
        "redisSentinelConfig": {
            "redisReplicationName": "acme-redis", "masterGroupName": "mymaster", "quorum": "2",
            "redisReplicationPassword": {"secretKeyRef": {"name": "acme-redis", "key": "password"}},
        },
    });
    accepted::<RedisSentinel>("redis.redis.opstreelabs.in_redissentinels", sentinel).await;
}

/// The spec of the first object of a kind in the output of a golden case of HarborCluster.
fn rendered(case: &str, kind: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../components/tests/golden/harborcluster")
        .join(case)
        .join("out.yaml");
    let objects: Vec<Value> = serde_saphyr::from_multiple(&fs::read_to_string(file).unwrap()).unwrap();
    objects.into_iter().find(|object| object["kind"] == kind).unwrap()["spec"].take()
}

#[tokio::test]
async fn zalandos_operator_accepts_our_databases() {
    for case in ["database-zalando", "database-zalando-all"] {
        accepted::<Postgresql>("acid.zalan.do_postgresqls", rendered(case, "postgresql")).await;
    }
}

#[tokio::test]
async fn cloud_native_pg_accepts_our_databases() {
    for case in ["database-cloud-native-pg", "database-cloud-native-pg-all"] {
        accepted::<PostgresCluster>("postgresql.cnpg.io_clusters", rendered(case, "Cluster")).await;
    }
}

#[tokio::test]
async fn the_minio_operator_accepts_our_tenants() {
    let tenant = json!({
        "pools": [{
            "name": "zone-harbor",
            "servers": 2,
            "volumesPerServer": 2,
            "volumeClaimTemplate": {
                "metadata": {
                    "name": "data", "labels": {"backup": "daily"}, "annotations": {"owner": "platform"},
                },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "10Gi"}},
                    "storageClassName": "fast",
                },
            },
            "resources": {"requests": {"memory": "2Gi"}, "limits": {"cpu": "1"}},
            "securityContext": {
                "runAsUser": 10000, "runAsGroup": 10000, "fsGroup": 10000, "runAsNonRoot": true,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containerSecurityContext": {
                "runAsUser": 10000, "runAsGroup": 10000, "runAsNonRoot": true, "allowPrivilegeEscalation": false,
                "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"},
            },
        }],
        "image": "minio/minio:RELEASE.2025-04-08T15-41-24Z",
        "imagePullPolicy": "IfNotPresent",
        "imagePullSecret": {"name": "mirror"},
        "configuration": {"name": "minio-acme"},
        "mountPath": "/export",
        "podManagementPolicy": "Parallel",
        "requestAutoCert": false,
        "env": [{"name": "MINIO_BROWSER", "value": "on"}],
        "buckets": [{"name": "harbor"}],
    });
    accepted::<Tenant>("minio.min.io_tenants", tenant).await;
    for case in ["minio", "minio-new"] {
        accepted::<Tenant>("minio.min.io_tenants", rendered(case, "Tenant")).await;
    }
}
