//! The issuers of certificates.

use super::{Harbor, a_harbor, names, policy, spec, waits_for};
use crate::cases::{CERTIFICATE, Case, base64};
use plan::{Class, Classify as _, Issuance, Policy, Role, ServedCertificate};
use serde_json::json;

#[test]
fn without_cert_manager_the_operator_issues_every_certificate_itself() {
    let case = Case::<Harbor>::golden("without-cert-manager");
    assert_eq!(names(&case, "Certificate"), Vec::<String>::new());
    assert_eq!(names(&case, "Issuer"), Vec::<String>::new());
    let authority = policy(&case, "acme-harbor-internal-tls-authority");
    assert!(
        matches!(authority, Policy::Issue(Issuance { role: Role::Authority { .. }, .. })),
        "{authority:?}"
    );
    let expected = Issuance {
        subject: "acme-harbor-core".into(),
        dns_names: vec!["acme-harbor-core".into()],
        ip_addresses: vec![],
        role: Role::Leaf { authority: Some("acme-harbor-internal-tls-authority".into()), also_trusted: None },
        days: 90,
    };
    assert_eq!(policy(&case, "acme-harbor-internal-tls-core"), Policy::Issue(expected));
}

#[test]
fn authorities_between_components_are_limited_to_services_whatever_the_harbor_has_today() {
    let only_for = |case: &Case<Harbor>, secret: &str| match policy(case, secret) {
        Policy::Issue(Issuance { role: Role::Authority { only_for }, .. }) => only_for.unwrap(),
        other => panic!("{other:?}"),
    };
    let case = || Case::<Harbor>::golden("without-cert-manager");
    let names = only_for(&case(), "acme-harbor-internal-tls-authority");
    for part in ["core", "jobservice", "portal", "registry", "registryctl", "trivy", "exporter", "nginx"] {
        assert!(names.contains(&format!("acme-harbor-{part}")), "{part} is not in {names:?}");
    }
    let other = case().set("/spec/trivy", json!(null)).set("/spec/exporter", json!(null));
    assert_eq!(
        only_for(&other, "acme-harbor-internal-tls-authority"),
        names,
        "a later one needs no new authority"
    );
    for (secret, issuance) in issuances(&case()) {
        if let Role::Leaf { authority: Some(authority), .. } = &issuance.role
            && authority.ends_with("internal-tls-authority")
        {
            assert!(issuance.dns_names.iter().all(|name| names.contains(name)), "{secret}: {issuance:?}");
            assert_eq!(issuance.ip_addresses, Vec::<std::net::IpAddr>::new(), "{secret}");
        }
    }
}

/// All certificates that the operator issues, by their Secret.
fn issuances(case: &Case<Harbor>) -> Vec<(String, Issuance)> {
    let plan = case.plan().unwrap();
    let issued = plan.graph.iter().filter_map(|(_, desired, _)| match &desired.policy {
        Policy::Issue(issuance) => Some((desired.object.key().name.clone(), issuance.clone())),
        _ => None,
    });
    issued.collect()
}

#[test]
fn with_cert_manager_and_an_issuer_the_token_key_is_rsa_in_pkcs1_and_stays() {
    let key = spec(&a_harbor(), "Certificate")["privateKey"].clone();
    let expected = json!({"algorithm": "RSA", "encoding": "PKCS1", "size": 4096, "rotationPolicy": "Never"});
    assert_eq!(key, expected);
}

#[test]
fn without_an_issuer_the_operator_makes_the_token_key_although_cert_manager_is_there() {
    let case = a_harbor().set("/spec/core", json!({}));
    assert_eq!(names(&case, "Certificate"), Vec::<String>::new());
    assert!(matches!(policy(&case, "acme-harbor-core-tokencert"), Policy::Issue(_)));
}

#[test]
fn what_the_operator_began_it_goes_on_with_when_cert_manager_is_installed_later() {
    let mut case = a_harbor();
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": "acme-harbor-core-tokencert", "namespace": "registry",
            "labels": {"goharbor.io/operator-controller": "harbor"},
        },
    }));
    assert_eq!(names(&case, "Certificate"), Vec::<String>::new());
    case.inputs[0]["metadata"]["labels"] = json!({"controller.cert-manager.io/fao": "true"});
    assert_eq!(names(&case, "Certificate"), ["acme-harbor-core-tokencert"]);
}

#[test]
fn certificates_that_are_brought_along_are_used_and_none_is_issued() {
    let case = Case::<Harbor>::golden("own-certificates");
    for kind in ["Certificate", "Issuer"] {
        assert_eq!(names(&case, kind), Vec::<String>::new());
    }
    let certificate =
        |kind: &str, pointer: &str| spec(&case, kind).pointer(pointer).unwrap()["certificateRef"].clone();
    for (kind, pointer, expected) in [
        ("Core", "/components/tls", "corporate-core"),
        ("JobService", "/tls", "corporate-jobservice"),
        ("Registry", "/http/tls", "corporate-registry"),
        ("RegistryController", "/tls", "corporate-registry"),
        ("Portal", "/tls", "corporate-portal"),
        ("Trivy", "/server/tls", "corporate-trivy"),
        ("Exporter", "/tls", "corporate-core"),
    ] {
        assert_eq!(certificate(kind, pointer), expected, "{kind}");
    }
    let own = case.set("/spec/internalTLS/certificates/registryctl", json!("corporate-registryctl"));
    assert_eq!(spec(&own, "RegistryController")["tls"]["certificateRef"], "corporate-registryctl");
}

#[test]
fn certificates_of_some_components_only_are_refused() {
    let case = Case::<Harbor>::golden("own-certificates")
        .set("/spec/internalTLS/certificates/portal", json!(null))
        .set("/spec/internalTLS/certificates/jobservice", json!(null));
    let error = case.error();
    for part in ["jobservice", "portal"] {
        let expected = format!(
            "spec.internalTLS.certificates.{part}: is not set, although certificates of other components are"
        );
        assert!(error.contains(&expected), "{error}");
    }
    assert!(case.set("/spec/internalTLS/enabled", json!(false)).plan().is_ok());
}

#[test]
fn the_authority_the_reverse_proxy_knows_core_by_is_looked_at_first() {
    let case = Case::<Harbor>::golden("own-certificates").with("corporate-core", "ca.crt", "");
    let error = case.error();
    assert!(error.starts_with("Secret registry/corporate-core, key `ca.crt`: is empty"), "{error}");
}

fn public(case: &Case<Harbor>) -> Issuance {
    match policy(case, "acme-harbor-expose-tls") {
        Policy::Issue(issuance) => issuance,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tls_for_users_without_a_certificate_of_theirs_gets_one_for_the_external_host() {
    let case = Case::<Harbor>::golden("without-cert-manager");
    let expected = Issuance {
        subject: "harbor.example.com".into(),
        dns_names: vec!["harbor.example.com".into()],
        ip_addresses: vec![],
        role: Role::Leaf { authority: Some("acme-harbor-expose-tls-authority".into()), also_trusted: None },
        days: 90,
    };
    assert_eq!(public(&case), expected);
    assert_eq!(spec(&case, "Ingress")["tls"][0]["secretName"], "acme-harbor-expose-tls");
    assert_eq!(spec(&case, "Core")["publicCertificateRef"], "acme-harbor-expose-tls");
}

#[test]
fn the_certificate_users_see_comes_from_an_authority_that_outlives_it() {
    let case = Case::<Harbor>::golden("without-cert-manager");
    let Policy::Issue(authority) = policy(&case, "acme-harbor-expose-tls-authority") else { panic!() };
    let unlimited = Role::Authority { only_for: None };
    assert_eq!((authority.role, authority.days), (unlimited, 3650), "users trust it for any later host");
    let plan = case.plan().unwrap();
    let expected = ["Secret acme-harbor-expose-tls-authority"];
    assert_eq!(waits_for(&plan, "Secret", "acme-harbor-expose-tls"), expected);
}

#[test]
fn an_address_in_the_external_url_is_an_address_in_the_certificate() {
    for (url, address) in [("https://192.0.2.7:8443", "192.0.2.7"), ("https://[2001:db8::7]", "2001:db8::7")]
    {
        let case = Case::<Harbor>::golden("without-cert-manager");
        let issuance = public(&case.set("/spec/externalURL", json!(url)));
        let found = (issuance.subject.as_str(), issuance.dns_names, issuance.ip_addresses);
        let expected = (address, vec!["harbor.example.com".to_owned()], vec![address.parse().unwrap()]);
        assert_eq!(found, expected, "the host of the Ingress stays a name");
    }
}

#[test]
fn the_certificate_users_see_is_for_the_host_of_the_ingress_too() {
    let case = Case::<Harbor>::golden("without-cert-manager")
        .set("/spec/expose/core/ingress/host", json!("harbor.internal"));
    assert_eq!(public(&case).dns_names, ["harbor.example.com", "harbor.internal"]);
}

#[test]
fn a_host_too_long_for_a_subject_is_a_name_of_the_certificate_all_the_same() {
    let host = format!("{}.example.com", "x".repeat(60));
    let case = Case::<Harbor>::golden("without-cert-manager")
        .set("/spec/externalURL", json!(format!("https://{host}")))
        .set("/spec/expose/core/ingress/host", json!(host));
    let issuance = public(&case);
    assert_eq!((issuance.subject.as_str(), issuance.dns_names), ("acme-harbor-expose-tls", vec![host]));
}

#[test]
fn names_too_long_for_a_subject_are_shortened_to_one_that_fits() {
    let case = a_harbor().set("/metadata/name", json!("x".repeat(44)));
    let subject = spec(&case, "Certificate")["commonName"].as_str().unwrap().len();
    assert!(subject <= 64, "{subject}");
}

/// A Harbor whose Ingress is served with a Secret that holds this.
fn served_with(data: Option<serde_json::Value>) -> Case<Harbor> {
    let mut case = a_harbor().set(
        "/spec/expose/core",
        json!({"tls": {"certificateRef": "public"}, "ingress": {"host": "harbor.example.com"}}),
    );
    case.inputs.extend(data.map(|data| {
        let metadata = json!({"name": "public", "namespace": "registry"});
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data})
    }));
    case
}

#[test]
fn a_certificate_that_an_ingress_could_not_be_served_with_is_refused_with_secret_and_key() {
    let certificate = base64(CERTIFICATE.as_bytes());
    let key = base64(b"-----BEGIN PRIVATE KEY-----\n");
    for (data, expected) in [
        (json!({"tls.crt": certificate}), "key `tls.key`: does not exist; add it to the Secret"),
        (json!({"tls.key": key}), "key `tls.crt`: does not exist; add it to the Secret"),
        (json!({"tls.crt": key, "tls.key": key}), "key `tls.crt`: holds no certificate in PEM; "),
        (
            json!({"tls.crt": certificate, "tls.key": certificate}),
            "key `tls.key`: holds no private key in PEM; ",
        ),
        (json!({"tls.crt": certificate, "tls.key": ""}), "key `tls.key`: is empty; give it a value"),
    ] {
        let error = served_with(Some(data)).error();
        assert!(error.starts_with(&format!("Secret registry/public, {expected}")), "{error}");
    }
    assert!(served_with(Some(json!({"tls.crt": certificate, "tls.key": key}))).plan().is_ok());
}

#[test]
fn an_ingress_does_not_wait_for_core_while_its_certificate_is_awaited() {
    let whole = json!({
        "tls.crt": base64(CERTIFICATE.as_bytes()), "tls.key": base64(b"-----BEGIN PRIVATE KEY-----\n"),
    });
    let behind = ["Core acme-harbor".to_owned(), "Portal acme-harbor".to_owned()];
    for (data, expected) in [(None, &[][..]), (Some(whole), &behind)] {
        let plan = served_with(data).plan().unwrap();
        assert_eq!(waits_for(&plan, "Ingress", "acme-harbor"), expected);
    }
}

#[test]
fn a_certificate_whose_secret_is_still_empty_is_waited_for() {
    for data in [json!({}), json!({"tls.crt": "", "tls.key": ""})] {
        let error = served_with(Some(data)).plan().unwrap_err();
        let expected =
            "Secret registry/public holds no value yet; fill it, or wait for the program that does";
        assert_eq!((error.class(), error.to_string()), (Class::Dependency, expected.to_owned()));
    }
}

#[test]
fn the_certificate_clients_see_is_that_of_the_user_or_the_operator_and_never_that_of_a_gateway() {
    let seen = |case: Case<Harbor>| {
        let served = case.plan().unwrap().outlook.certificate;
        served.map(|ServedCertificate { secret, expires }| (secret.name.clone(), expires))
    };
    let expires = "2126-10-23T08:35:53Z".parse().ok();
    let whole = json!({
        "tls.crt": base64(CERTIFICATE.as_bytes()), "tls.key": base64(b"-----BEGIN PRIVATE KEY-----\n"),
    });
    assert_eq!(seen(served_with(Some(whole))), Some(("public".into(), expires)));
    assert_eq!(seen(served_with(None)), Some(("public".into(), None)), "it is awaited");
    let issued = Case::<Harbor>::golden("without-cert-manager");
    assert_eq!(seen(issued), Some(("acme-harbor-expose-tls".into(), None)));
    assert_eq!(seen(a_harbor().set("/spec/expose/core/tls", json!(null))), None);
    let route = json!({"tls": {"certificateRef": "public"}, "route": {"parentRefs": [{"name": "gateway"}]}});
    assert_eq!(seen(a_harbor().set("/spec/expose/core", route)), None);
}
