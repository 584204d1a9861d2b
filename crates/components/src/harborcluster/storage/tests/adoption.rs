//! An installation of the operator's predecessor continues.

use super::{a_cluster, with};
use crate::{cases::Case, harborcluster::HarborCluster};
use serde_json::{Value, json};

/// The Tenant as the predecessor wrote it.
fn the_tenant() -> Value {
    json!({
        "apiVersion": "minio.min.io/v2", "kind": "Tenant",
        "metadata": {"name": "minio-acme", "namespace": "registry"},
        "spec": {
            "image": "minio/minio:RELEASE.2022-08-26T19-53-15Z",
            "imagePullSecret": {},
            "credsSecret": {"name": "minio-acme-creds"},
            "pools": [{
                "name": "zone-harbor", "servers": 2, "volumesPerServer": 2,
                "volumeClaimTemplate": {
                    "metadata": {"creationTimestamp": null},
                    "spec": {
                        "storageClassName": "default",
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "10Gi"}},
                    },
                    "status": {},
                },
            }],
        },
        "status": {"currentState": "Initialized", "availableReplicas": 2},
    })
}

fn an_adopted_cluster() -> Case<HarborCluster> {
    with(a_cluster(), the_tenant())
}

#[test]
fn a_minio_keeps_its_image_until_another_is_named() {
    let tenant = an_adopted_cluster().set("/spec/imageSource", json!({"repository": "mirror.example.com"}));
    assert_eq!(tenant.child("Tenant")["spec"]["image"], "minio/minio:RELEASE.2022-08-26T19-53-15Z");
    let named = tenant.set("/spec/storage/spec/minIO/image", "minio/minio:new".into());
    assert_eq!(named.child("Tenant")["spec"]["image"], "minio/minio:new");
}

#[test]
fn an_old_minio_operator_still_finds_the_credentials_it_goes_by() {
    let credentials = json!({"name": "minio-acme-creds"});
    assert_eq!(an_adopted_cluster().child("Tenant")["spec"]["credsSecret"], credentials);
    assert_eq!(a_cluster().child("Tenant")["spec"]["credsSecret"], Value::Null, "new ones do not know it");
}

#[test]
fn a_pool_that_cannot_change_is_not_asked_to() {
    let case = an_adopted_cluster()
        .set("/spec/storage/spec/minIO/replicas", 1.into())
        .set("/spec/storage/spec/minIO/volumesPerServer", 4.into())
        .set(
            "/spec/storage/spec/minIO/volumeClaimTemplate",
            json!({
                "metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "9999M"}}},
            }),
        );
    let field = "spec.storage.spec.minIO";
    let expected = [
        format!(
            "{field}.replicas: is 1, but MinIO runs with 2 and cannot change it; \
             set it to 2, or move the data to another HarborCluster"
        ),
        format!(
            "{field}.volumesPerServer: is 4, but MinIO runs with 2 and cannot change it; \
             set it to 2, or move the data to another HarborCluster"
        ),
        format!(
            "{field}.volumeClaimTemplate.metadata.name: is \"data\", but the volumes of MinIO are called after \"\"; \
             restore the name"
        ),
        format!(
            "{field}.volumeClaimTemplate.spec.resources.requests.storage: is 9999M, \
             but volumes of 10Gi cannot become smaller; ask for 10Gi or more"
        ),
    ];
    assert_eq!(case.error(), expected.join(", "));
}

#[test]
fn volumes_may_grow_and_sizes_may_be_spelt_in_another_way() {
    for size in ["10Gi", "10240Mi", "10737418240", "11G", "1Ti"] {
        let spec = json!({"spec": {"resources": {"requests": {"storage": size}}}});
        let case = an_adopted_cluster().set("/spec/storage/spec/minIO/volumeClaimTemplate", spec);
        let pool = case.child("Tenant")["spec"]["pools"][0].clone();
        assert_eq!(pool["volumeClaimTemplate"]["spec"]["resources"]["requests"]["storage"], size);
    }
}
