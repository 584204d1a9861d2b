use super::{a_cluster, an_exposed_cluster, harbor_storage, named, the_credentials, with, with_deletion};
use crate::{cases::Case, harborcluster::HarborCluster};
use plan::{Absence, DeletionBehavior, Policy};
use serde_json::{Value, json};

const CLAIMS: [&str; 4] = [
    "0-minio-acme-zone-harbor-0",
    "1-minio-acme-zone-harbor-0",
    "0-minio-acme-zone-harbor-1",
    "1-minio-acme-zone-harbor-1",
];

#[test]
fn a05_claims_are_named_one_by_one_in_the_namespace_of_their_cluster() {
    let claims: Vec<_> = a_cluster()
        .children()
        .into_iter()
        .filter(|child| child["kind"] == "PersistentVolumeClaim")
        .map(|claim| (claim["metadata"]["namespace"].clone(), claim["metadata"]["name"].clone()))
        .collect();
    assert_eq!(claims, CLAIMS.map(|name| (json!("registry"), json!(name))));

    let plan = a_cluster().plan().unwrap();
    let created_once = |key: &plan::ObjectKey| key.kind == "PersistentVolumeClaim";
    for (_, desired, _) in plan.graph.iter().filter(|(_, desired, _)| created_once(&desired.object.key())) {
        let once = Policy::CreateOnce { generate: [].into() };
        assert_eq!(desired.policy, once, "one that exists is left alone, whatever its owner is");
    }
}

#[test]
fn a10_data_and_what_opens_it_stay_unless_deletion_is_asked_for() {
    let claims = CLAIMS.map(|name| format!("PersistentVolumeClaim {name}"));
    let mut expected = vec!["Secret minio-acme-creds".to_owned(), "Secret minio-acme".to_owned()];
    expected.extend(claims);
    expected.push("Tenant minio-acme".to_owned());
    assert_eq!(with_deletion(&a_cluster(), DeletionBehavior::Kept), expected);
    assert_eq!(
        with_deletion(&a_cluster(), DeletionBehavior::Owned),
        ["Service minio-acme", "Harbor acme-harbor"]
    );

    let deleted = a_cluster().set("/spec/deletionPolicy", "Delete".into());
    assert_eq!(with_deletion(&deleted, DeletionBehavior::Kept), [""; 0]);
}

#[test]
fn b41_what_is_to_be_deleted_belongs_to_the_cluster_itself_and_waits_for_nothing() {
    for child in an_exposed_cluster().children() {
        let owners: Vec<_> = child["metadata"]["ownerReferences"].as_array().unwrap().iter().collect();
        assert_eq!(owners.len(), 1, "{child}");
        assert_eq!(owners[0]["kind"], "HarborCluster");
        assert_eq!(child["metadata"]["finalizers"], Value::Null);
    }
}

#[test]
fn b13_no_key_is_written_into_the_harbor() {
    let case = with(a_cluster(), the_credentials());
    let s3 = harbor_storage(&case)["s3"].clone();
    assert_eq!(
        (&s3["accesskeyRef"], &s3["secretkeyRef"]),
        (&json!("minio-acme-creds"), &json!("minio-acme"))
    );
    assert_eq!(s3["accesskey"], Value::Null);
    let written: Vec<_> = case.children().into_iter().filter(|child| child["kind"] != "Secret").collect();
    let text = serde_json::to_string(&written).unwrap();
    assert!(!text.contains("topsecret") && !text.contains("\"access\""), "{text}");
}

#[test]
fn b25_the_bucket_is_minios_own_business_and_no_job_ever_runs() {
    let case = a_cluster();
    assert_eq!(case.child("Tenant")["spec"]["buckets"], json!([{"name": "harbor"}]));
    assert!(case.children().iter().all(|child| child["kind"] != "Job"));
}

#[test]
fn b25_a_minio_is_reached_by_a_service_of_its_own() {
    let service = a_cluster().child("Service");
    assert_eq!(service["metadata"]["name"], "minio-acme");
    assert_eq!(service["spec"]["selector"], json!({"v1.min.io/tenant": "minio-acme"}));
    let endpoint = &harbor_storage(&a_cluster())["s3"]["regionendpoint"];
    assert_eq!(endpoint, "http://minio-acme.registry.svc:80");
}

#[test]
fn b25_the_ingress_belongs_to_the_cluster_and_goes_with_redirection() {
    let exposed = an_exposed_cluster();
    assert_eq!(exposed.child("Ingress")["metadata"]["ownerReferences"][0]["kind"], "HarborCluster");
    let hidden = exposed.set("/spec/storage/spec/redirect/enable", false.into());
    assert!(hidden.children().iter().all(|child| child["kind"] != "Ingress"));
    assert_eq!(harbor_storage(&hidden)["redirect"], json!({"disable": true}));
}

#[test]
fn clients_are_sent_where_they_reach_minio_with_or_without_tls() {
    let exposed = an_exposed_cluster();
    let seen = |storage: Value| {
        let s3 = storage["s3"].clone();
        json!([s3["regionendpoint"], s3["secure"], s3["certificateRef"], storage["redirect"]["disable"]])
    };
    let secure = json!(["https://minio.example.com", true, "minio-certificate", false]);
    assert_eq!(seen(harbor_storage(&exposed)), secure);
    let clear = exposed.set("/spec/storage/spec/redirect/expose/tls", Value::Null);
    assert_eq!(seen(harbor_storage(&clear)), json!(["http://minio.example.com", false, null, false]));
    let annotations = &clear.child("Ingress")["metadata"]["annotations"];
    assert_eq!(annotations["ingress.kubernetes.io/force-ssl-redirect"], Value::Null);
}

#[test]
fn redirection_may_still_be_said_of_minio_itself_where_the_storage_says_nothing() {
    let redirect = json!({"enable": true, "expose": {"ingress": {"host": "Old.Example.com"}}});
    let case = a_cluster().set("/spec/storage/spec/minIO/redirect", redirect);
    assert_eq!(harbor_storage(&case)["s3"]["regionendpoint"], "http://old.example.com");
    let newer = case.set("/spec/storage/spec/redirect", json!({"enable": false}));
    assert_eq!(harbor_storage(&newer)["s3"]["regionendpoint"], "http://minio-acme.registry.svc:80");
}

#[test]
fn what_minio_and_the_registry_read_follows_from_the_generated_credentials() {
    let policy = |case: &super::Case<super::HarborCluster>, name: &str| {
        let plan = case.plan().unwrap();
        let mut found = plan.graph.iter().filter(|(_, desired, _)| desired.object.key().kind == "Secret");
        found.find(|(_, desired, _)| desired.object.key().name == name).unwrap().1.policy.clone()
    };
    let why = "its values come from Secret registry/minio-acme-creds".to_owned();
    assert_eq!(policy(&a_cluster(), "minio-acme"), Policy::Await { why, absence: Absence::Passing });

    let made = with(a_cluster(), the_credentials());
    assert_eq!(policy(&made, "minio-acme"), Policy::Apply);
    assert!(matches!(policy(&made, "minio-acme-creds"), Policy::CreateOnce { .. }));
    let variables = b"export MINIO_ROOT_USER=\"access\"\nexport MINIO_ROOT_PASSWORD=\"topsecret\"\n";
    let expected = json!({
        "config.env": crate::cases::base64(variables), "secret": crate::cases::base64(b"topsecret"),
    });
    assert_eq!(named(&made, "Secret", "minio-acme")["data"], expected);
}

#[test]
fn another_version_of_harbor_changes_nothing_about_minio() {
    let tenant = |version: &str| a_cluster().set("/spec/version", version.into()).child("Tenant");
    assert_eq!(tenant("2.15.0"), tenant("2.14.0"));
}

#[test]
fn images_come_from_the_mirror_where_there_is_one_and_else_from_the_minio_operator() {
    let image = |version: &str, source: Value| {
        let case = a_cluster().set("/spec/version", version.into()).set("/spec/imageSource", source);
        case.child("Tenant")["spec"]["image"].clone()
    };
    let mirror = json!({"repository": "mirror.example.com"});
    assert_eq!(image("2.6.2", mirror.clone()), "mirror.example.com/minio:RELEASE.2022-08-26T19-53-15Z");
    assert_eq!(image("2.15.0", mirror), "mirror.example.com/minio:RELEASE.2025-04-08T15-41-24Z");
    assert_eq!(image("2.15.0", json!({"imagePullPolicy": "Always"})), Value::Null);
}

#[test]
fn a_minio_that_is_run_here_is_reached_without_a_proxy_under_whatever_name() {
    let direct = |case: Case<HarborCluster>| {
        let proxy = json!({"httpsProxy": "http://proxy.example.com:3128", "noProxy": []});
        case.set("/spec/proxy", proxy).child("Harbor")["spec"]["proxy"]["noProxy"].clone()
    };
    assert_eq!(direct(a_cluster()), json!(["minio-acme.registry.svc"]));
    assert_eq!(direct(an_exposed_cluster()), json!(["minio.example.com"]));
}

#[test]
fn a_minio_with_a_certificate_is_reached_over_tls_and_its_authority_is_trusted() {
    let case = Case::<HarborCluster>::golden("minio-tls");
    let certificate = json!([{"name": "minio-tls", "type": "cert-manager.io/v1"}]);
    assert_eq!(case.child("Tenant")["spec"]["externalCertSecret"], certificate);
    let service = named(&case, "Service", "minio-acme");
    assert_eq!(
        service["spec"]["ports"],
        json!([{"name": "https-minio", "protocol": "TCP", "port": 443, "targetPort": 9000}])
    );
    let s3 = harbor_storage(&case)["s3"].clone();
    assert_eq!(s3["regionendpoint"], "https://minio-acme.registry.svc:443");
    assert_eq!((&s3["secure"], &s3["certificateRef"]), (&json!(true), &json!("minio-tls")));
    let core = case.child("Harbor")["spec"]["core"]["certificateRefs"].clone();
    assert_eq!(core, json!(["minio-tls"]), "clients of the registry may be redirected there");
}

#[test]
fn a_certificate_that_minio_would_not_start_with_is_refused() {
    let case = || Case::<HarborCluster>::golden("minio-tls");
    assert_eq!(case().without("minio-tls").error(), "Secret registry/minio-tls does not exist; create it");
    let error = case().with("minio-tls", "ca.crt", "").error();
    assert_eq!(error, "Secret registry/minio-tls, key `ca.crt`: is empty; give it a value");
}

#[test]
fn behind_an_ingress_a_minio_with_a_certificate_is_spoken_to_over_tls() {
    let mut case =
        an_exposed_cluster().set("/spec/storage/spec/minIO/tls", json!({"certificateRef": "minio-tls"}));
    case.inputs.extend(Case::<HarborCluster>::golden("minio-tls").inputs);
    let ingress = case.child("Ingress");
    let protocol = &ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/backend-protocol"];
    assert_eq!(protocol, "HTTPS");
    let port = ingress.pointer("/spec/rules/0/http/paths/0/backend/service/port/number").cloned();
    assert_eq!(port, Some(json!(443)));
}
