use super::{a_cluster, an_exposed_cluster, with};
use serde_json::{Value, json};

fn the_service_of_all(tenant: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "minio", "namespace": "registry", "ownerReferences": [{
            "apiVersion": "minio.min.io/v2", "kind": "Tenant", "name": tenant, "uid": "u", "controller": true,
        }]},
    })
}

#[test]
fn b25_a_second_minio_in_a_namespace_is_refused_before_it_harms_the_first() {
    let error = with(a_cluster(), the_service_of_all("minio-other")).error();
    let expected = "spec.storage.kind: the namespace has Tenant minio-other already, and the MinIO operator runs one \
                    in each; use another namespace or another kind, or delete that Tenant if its data is not needed";
    assert_eq!(error, expected);
    assert!(with(a_cluster(), the_service_of_all("minio-acme")).plan().is_ok(), "the first is ours");
}

#[test]
fn b33_a_name_is_refused_with_which_minio_could_not_have_pods() {
    let named = |length: usize| a_cluster().set("/metadata/name", "x".repeat(length).into());
    assert!(named(34).plan().is_ok());
    let error = named(35).error();
    assert!(error.starts_with("metadata.name: MinIO's StatefulSet is called \"minio-xxx"), "{error}");
    assert!(error.ends_with("use a name of at most 34 characters"), "{error}");
}

#[test]
fn data_on_fewer_than_four_volumes_is_refused() {
    let error = a_cluster().set("/spec/storage/spec/minIO/volumesPerServer", 1.into()).error();
    let expected = "spec.storage.spec.minIO: 2 replicas with 1 volumes each are not the four volumes that MinIO needs; \
                    raise replicas or volumesPerServer";
    assert_eq!(error, expected);
}

#[test]
fn redirection_needs_a_way_in() {
    let error = a_cluster().set("/spec/storage/spec/redirect", json!({"enable": true})).error();
    let expected = "spec.storage.spec.redirect.expose.ingress: is required while redirect is enabled; \
                    set its host, or redirect.enable to false";
    assert_eq!(error, expected);
}

#[test]
fn credentials_that_minio_would_not_start_with_are_refused_and_not_shown() {
    let error = an_exposed_cluster().with("minio-access", "accesskey", "ab").with(
        "minio-access",
        "secretkey",
        "a\nb",
    );
    let expected = "Secret registry/minio-access, key `accesskey`: is shorter than the 3 characters that MinIO asks for; \
                    choose a longer one, \
                    Secret registry/minio-access, key `secretkey`: is not one line of text; \
                    remove what is not a character, such as a newline";
    assert_eq!(error.error(), expected);
    let missing = an_exposed_cluster().without("minio-access").error();
    assert_eq!(missing, "Secret registry/minio-access does not exist; create it");
}

#[test]
fn claims_of_devices_that_servers_cannot_have_are_refused() {
    let resources = json!({"claims": [{"name": "gpu"}]});
    let error = a_cluster().set("/spec/storage/spec/minIO/resources", resources).error();
    assert!(error.starts_with("spec.storage.spec.minIO.resources.claims: is set, but"), "{error}");
}
