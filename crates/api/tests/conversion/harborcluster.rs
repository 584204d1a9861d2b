//! The map of a HarborCluster, whose fields have moved.

use crate::{down, up};
use serde_json::{Value, json};

/// A HarborCluster of v1alpha3 with these fields.
fn old(spec: Value) -> Value {
    json!({"apiVersion": "goharbor.io/v1alpha3", "kind": "HarborCluster", "metadata": {"name": "acme"}, "spec": spec})
}

/// A HarborCluster of v1beta1 with these fields.
fn new(spec: Value) -> Value {
    json!({"apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster", "metadata": {"name": "acme"}, "spec": spec})
}

/// Fails unless each is the other in its version.
fn are_the_same(old_spec: Value, new_spec: Value) {
    assert_eq!(up(&old(old_spec.clone())), new(new_spec.clone()));
    assert_eq!(down(&new(new_spec)), old(old_spec));
}

#[test]
fn services_that_the_operator_runs_are_mapped() {
    let image = json!({"image": "example.com/redis:6", "imagePullPolicy": "Always"});
    are_the_same(
        json!({
            "inClusterCache": {"kind": "Redis", "redisSpec": {
                "image": image["image"], "imagePullPolicy": image["imagePullPolicy"],
                "server": {"replicas": 3, "storage": "2Gi", "resources": {"claims": [{"name": "a"}]}},
                "sentinel": {"replicas": 3},
            }},
            "inClusterDatabase": {"kind": "PostgresSQL", "postgresSqlSpec": {"replicas": 2, "storage": "10Gi"}},
            "inClusterStorage": {"kind": "MinIO", "minIOSpec": {
                "replicas": 4, "volumesPerServer": 1, "secretRef": "minio", "mc": {"image": "example.com/mc"},
                "redirect": {"enable": true, "expose": {"ingress": {"host": "minio.example.com"}}},
            }},
        }),
        json!({
            "cache": {"kind": "RedisFailover", "spec": {"redisFailover": {
                "image": image["image"], "imagePullPolicy": image["imagePullPolicy"], "operatorVersion": "1.0.0",
                "server": {"replicas": 3, "storage": "2Gi", "resources": {"claims": [{"name": "a"}]}},
                "sentinel": {"replicas": 3},
            }}},
            "database": {"kind": "Zlando/PostgreSQL", "spec": {"zlandoPostgreSql": {
                "replicas": 2, "storage": "10Gi", "operatorVersion": "1.5.0",
            }}},
            "storage": {"kind": "MinIO", "spec": {
                "minIO": {
                    "replicas": 4, "volumesPerServer": 1, "secretRef": "minio", "mc": {"image": "example.com/mc"},
                    "operatorVersion": "4.0.6",
                },
                "redirect": {"enable": true, "expose": {"ingress": {"host": "minio.example.com"}}},
            }},
        }),
    );
}

#[test]
fn services_that_exist_are_mapped() {
    are_the_same(
        json!({
            "redis": {"host": "redis", "port": 6379},
            "database": {"hosts": [{"host": "postgres"}], "username": "harbor"},
            "imageChartStorage": {"filesystem": {"registryPersistentVolume": {"claimName": "images"}}},
        }),
        json!({
            "cache": {"kind": "Redis", "spec": {"redis": {"host": "redis", "port": 6379}}},
            "database": {"kind": "PostgreSQL", "spec": {
                "postgresql": {"hosts": [{"host": "postgres"}], "username": "harbor"},
            }},
            "storage": {"kind": "FileSystem", "spec": {
                "fileSystem": {"registryPersistentVolume": {"claimName": "images"}},
            }},
        }),
    );
    for (driver, kind) in [("s3", "S3"), ("swift", "Swift")] {
        are_the_same(
            json!({"imageChartStorage": {driver: {"region": "earth"}}}),
            json!({"storage": {"kind": kind, "spec": {driver: {"region": "earth"}}}}),
        );
    }
}

#[test]
fn whether_clients_are_sent_to_a_store_that_exists_is_not_lost() {
    for disable in [true, false] {
        are_the_same(
            json!({"imageChartStorage": {"s3": {}, "redirect": {"disable": disable}}}),
            json!({"storage": {"kind": "S3", "spec": {"s3": {}, "redirect": {"enable": !disable}}}}),
        );
    }
}

#[test]
fn a06_a_minio_without_redirect_is_converted() {
    are_the_same(
        json!({"inClusterStorage": {"kind": "MinIO", "minIOSpec": {"replicas": 4, "volumesPerServer": 1}}}),
        json!({"storage": {"kind": "MinIO", "spec": {
            "minIO": {"replicas": 4, "volumesPerServer": 1, "operatorVersion": "4.0.6"},
        }}}),
    );
    are_the_same(
        json!({"inClusterStorage": {"kind": "MinIO"}}),
        json!({"storage": {"kind": "MinIO", "spec": {}}}),
    );
}

#[test]
fn fields_that_the_old_conversion_lost_are_converted() {
    let spec = json!({
        "portal": {"replicas": 2},
        "registryctl": {"image": "example.com/registryctl"},
        "trivy": {"storage": {"reportsPersistentVolume": {"claimName": "reports"}}},
        "notary": {"migrationEnabled": false, "server": {}, "signer": {"replicas": 2}},
    });
    are_the_same(spec.clone(), spec);
}

#[test]
fn a_spec_without_services_can_be_read() {
    are_the_same(json!({"externalURL": "https://harbor"}), json!({"externalURL": "https://harbor"}));
    assert_eq!(up(&old(json!({"redis": null, "inClusterCache": null}))), new(json!({})));
}

#[test]
fn a_service_that_the_operator_runs_wins_and_the_other_stays() {
    let both = json!({
        "redis": {"host": "redis"},
        "inClusterCache": {"kind": "Redis", "redisSpec": {}},
        "imageChartStorage": {"s3": {}, "redirect": {"disable": true}},
        "inClusterStorage": {"kind": "MinIO", "minIOSpec": {"redirect": {"enable": true}}},
    });

    let new_spec = up(&old(both))["spec"].clone();

    assert_eq!(
        new_spec,
        json!({
            "cache": {"kind": "RedisFailover", "spec": {
                "redisFailover": {"operatorVersion": "1.0.0"}, "redis": {"host": "redis"},
            }},
            "storage": {"kind": "MinIO", "spec": {
                "minIO": {"operatorVersion": "4.0.6"}, "s3": {}, "redirect": {"enable": true},
            }},
        })
    );
}

#[test]
fn a_service_that_v1alpha3_does_not_know_is_kept() {
    let spec = json!({
        "cache": {"kind": "RedisReplication", "spec": {"redisReplication": {"image": "redis"}}},
        "database": {"kind": "CloudNativePG", "spec": {"cloudNativePG": {"replicas": 3}}},
        "storage": {"kind": "Azure", "spec": {"azure": {"container": "images"}, "redirect": {"enable": false}}},
    });

    let lower = down(&new(spec.clone()));

    assert_eq!(lower["spec"], json!({}));
    assert_eq!(up(&lower), new(spec));
}

#[test]
fn a_service_that_a_client_of_v1alpha3_chooses_wins_over_one_that_was_kept() {
    let spec = json!({
        "database": {"kind": "CloudNativePG", "spec": {"cloudNativePG": {"replicas": 3}}},
        "trivy": {"offlineScan": true, "storage": {}},
        "core": {"maxIdleConnections": 5},
    });
    let mut lower = down(&new(spec));
    lower["spec"]["database"] = json!({"hosts": [{"host": "postgres"}]});
    lower["spec"].as_object_mut().unwrap().remove("trivy");

    assert_eq!(
        up(&lower)["spec"],
        json!({
            "database": {"kind": "PostgreSQL", "spec": {"postgresql": {"hosts": [{"host": "postgres"}]}}},
            "core": {"maxIdleConnections": 5},
        })
    );
}

#[test]
fn the_deprecated_place_of_redirect_is_shown_and_comes_back() {
    let spec = json!({"storage": {"kind": "MinIO", "spec": {
        "minIO": {"operatorVersion": "4.0.6", "redirect": {"enable": false}},
    }}});

    let lower = down(&new(spec.clone()));

    assert_eq!(
        lower["spec"],
        json!({"inClusterStorage": {"kind": "MinIO", "minIOSpec": {"redirect": {"enable": false}}}})
    );
    assert_eq!(up(&lower), new(spec));
}
