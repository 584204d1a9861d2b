use super::{CASES, Case, Trivy, a_trivy};
use crate::cases::CERTIFICATE;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Container, PodSpec},
};
use plan::{Manifest, ObjectKey, References};
use serde_json::json;
use std::collections::BTreeSet;

fn deployment(case: &Case<Trivy>) -> Deployment {
    serde_json::from_value(case.child("Deployment")).unwrap()
}

fn pod(case: &Case<Trivy>) -> PodSpec {
    deployment(case).spec.unwrap().template.spec.unwrap()
}

fn container(case: &Case<Trivy>) -> Container {
    pod(case).containers.remove(0)
}

#[test]
fn a_scan_that_has_begun_may_end() {
    for (timeout, seconds) in [("5m0s", 300), ("1h", 3600), ("90s", 90)] {
        let case = a_trivy().set("/spec/timeout", json!(timeout));
        assert_eq!(pod(&case).termination_grace_period_seconds, Some(seconds + 30));
    }
    let command = container(&a_trivy()).lifecycle.unwrap().pre_stop.unwrap().exec.unwrap().command.unwrap();
    assert!(command[2].contains("find /home/scanner/.cache/reports -name 'scan_report_*'"), "{command:?}");
}

#[test]
fn a_claim_is_given_up_before_it_is_asked_for_again() {
    let strategy = |case| deployment(&case).spec.unwrap().strategy.unwrap();
    assert_eq!(strategy(a_trivy()).type_.as_deref(), Some("RollingUpdate"));
    let claimed = strategy(Case::golden("harbor-2.5"));
    assert_eq!((claimed.type_.as_deref(), claimed.rolling_update), (Some("Recreate"), None));
}

#[test]
fn one_claim_may_hold_both_directories() {
    let mounts = container(&Case::golden("harbor-2.5")).volume_mounts.unwrap();
    let within: Vec<_> =
        mounts.iter().map(|mount| (mount.name.as_str(), mount.sub_path.as_deref())).collect();
    assert_eq!(within, [("reports", Some("reports")), ("cache", Some("cache"))]);
}

#[test]
fn where_callers_need_certificates_probes_do_without() {
    let probes = |case| {
        let container = container(&case);
        [container.liveness_probe.unwrap(), container.readiness_probe.unwrap()]
    };
    assert!(
        probes(Case::golden("tls"))
            .iter()
            .all(|probe| probe.http_get.is_none() && probe.tcp_socket.is_some())
    );
    let open = Case::golden("tls").set("/spec/server/clientCertificateAuthorityRefs", json!([]));
    for probe in probes(open) {
        assert_eq!(probe.http_get.unwrap().scheme.as_deref(), Some("HTTPS"));
    }
}

#[test]
fn a_bought_certificate_need_not_bring_its_authority_along() {
    let deployment = |case: Case<Trivy>| case.child("Deployment").to_string();
    assert!(!deployment(Case::golden("tls")).contains("bought-certificate"));
    for authority in [CERTIFICATE, ""] {
        let complete = Case::golden("tls").with("bought-certificate", "ca.crt", authority);
        assert!(deployment(complete).contains("/harbor_cust_cert/bought-certificate.crt"));
    }
    let error = Case::<Trivy>::golden("tls").with("bought-certificate", "ca.crt", "PEM").error();
    assert!(error.starts_with("Secret registry/bought-certificate, key `ca.crt`: holds no"), "{error}");
}

#[test]
fn a08_renewed_certificates_and_rotated_secrets_restart_the_pods_that_use_them() {
    for case in CASES.map(Case::<Trivy>::golden) {
        let used = References::of("registry", deployment(&case).pod_template().unwrap());
        let used: BTreeSet<&ObjectKey> = used.keys().collect();
        let reads = case.plan().unwrap().reads;
        // The password of Redis reaches the pods inside the Secret `harbor-trivy`.
        let unused = |key: &&ObjectKey| matches!(&*key.name, "redis" | "bought-certificate");
        for key in reads.iter().filter(|key| key.kind == "Secret" && !unused(key)) {
            assert!(used.contains(key), "{key} was read but is not used");
        }
    }
}

#[test]
fn b13_the_github_token_stays_in_its_secret() {
    let container = container(&Case::golden("full"));
    let token =
        container.env.unwrap().into_iter().find(|it| it.name == "SCANNER_TRIVY_GITHUB_TOKEN").unwrap();
    let key = token.value_from.unwrap().secret_key_ref.unwrap();
    assert_eq!((key.name.as_str(), key.key.as_str()), ("github", "github-token"));
}
