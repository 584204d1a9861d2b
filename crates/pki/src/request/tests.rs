use super::*;
use crate::{Algorithm, Encoding, KeySpec, generate};
use std::{fs, path::Path, process::Command, sync::OnceLock};

/// One of two keys, which are generated once because that takes a while.
fn key(which: usize) -> String {
    static KEYS: [OnceLock<String>; 2] = [OnceLock::new(), OnceLock::new()];
    KEYS[which].get_or_init(|| generate(KeySpec::DEFAULT).unwrap()).clone()
}

/// A fixed time, close enough to the real time for openssl.
fn now() -> Timestamp {
    static NOW: OnceLock<Timestamp> = OnceLock::new();
    *NOW.get_or_init(Timestamp::now)
}

fn after(days: i64) -> Timestamp {
    Timestamp::from_second(now().as_second() + days * DAY).unwrap()
}

fn authority_request() -> Request {
    Request {
        subject: "harbor-authority".into(),
        dns_names: vec![],
        ip_addresses: vec![],
        purpose: Purpose::Authority { only_for: Some(vec!["core".into(), "core.ns.svc".into()]) },
        days: 300,
    }
}

fn leaf_request() -> Request {
    Request {
        subject: "core".into(),
        dns_names: vec!["core".into(), "core.ns.svc".into()],
        ip_addresses: vec![],
        purpose: Purpose::Leaf,
        days: 90,
    }
}

fn root(at: Timestamp) -> Issued {
    authority_request().issue(&Authority::Itself, key(0), [1; 16], at).unwrap()
}

/// An authority that may sign for any name, as older builds issued it.
fn unlimited() -> Issued {
    let request = Request { purpose: Purpose::Authority { only_for: None }, ..authority_request() };
    request.issue(&Authority::Itself, key(0), [1; 16], now()).unwrap()
}

fn as_authority(issued: &Issued) -> Authority {
    Authority::from_pem(issued.chain.clone(), issued.key.clone()).unwrap()
}

fn leaf(authority: &Authority) -> Issued {
    leaf_request().issue(authority, key(1), [2; 16], now()).unwrap()
}

fn openssl(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("openssl").args(arguments).current_dir(directory).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_was_just_issued_is_as_asked_for_and_due_after_two_thirds_of_its_life() {
    let root = root(now());
    let due = |days: i64, seconds: i64| Timestamp::from_second(after(days).as_second() - seconds).unwrap();
    assert_eq!(authority_request().due(&root, &Authority::Itself, now()), Ok(due(200, 100)));
    let authority = as_authority(&root);
    let leaf = leaf(&authority);
    assert_eq!(leaf_request().due(&leaf, &authority, now()), Ok(due(60, 100)));
    assert_eq!(leaf_request().due(&leaf, &authority, due(60, 101)), Ok(due(60, 100)));
    assert_eq!(leaf_request().due(&leaf, &authority, due(60, 100)), Err(Defect::Due));
    assert_eq!(leaf_request().due(&leaf, &authority, after(1000)), Err(Defect::Due));
    assert_eq!(leaf_request().due(&leaf, &authority, after(-1)), Err(Defect::Due), "not valid yet");
}

#[test]
fn another_request_is_another_certificate() {
    let authority = as_authority(&root(now()));
    let leaf = leaf(&authority);
    let asked = leaf_request();
    for (request, defect) in [
        (Request { subject: "other".into(), ..asked.clone() }, Defect::Subject),
        (Request { dns_names: vec!["core".into()], ..asked.clone() }, Defect::Names),
        (Request { ip_addresses: vec![[192, 0, 2, 7].into()], ..asked.clone() }, Defect::Names),
        (Request { purpose: Purpose::Authority { only_for: None }, ..asked.clone() }, Defect::Purpose),
        (Request { days: 91, ..asked.clone() }, Defect::Days),
    ] {
        assert_eq!(request.due(&leaf, &authority, now()), Err(defect), "{request:?}");
    }
    let reordered = Request { dns_names: vec!["core.ns.svc".into(), "core".into()], ..asked };
    assert!(reordered.due(&leaf, &authority, now()).is_ok(), "the order of names means nothing");
}

#[test]
fn addresses_are_addresses_and_not_names() {
    let addresses = ["192.0.2.7", "2001:db8::7"];
    let asked = Request { ip_addresses: addresses.map(|it| it.parse().unwrap()).into(), ..leaf_request() };
    let authority = as_authority(&unlimited());
    let issued = asked.issue(&authority, key(1), [2; 16], now()).unwrap();
    assert!(asked.due(&issued, &authority, now()).is_ok());
    assert_eq!(leaf_request().due(&issued, &authority, now()), Err(Defect::Names));

    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ca.crt"), &issued.authority).unwrap();
    fs::write(directory.path().join("tls.crt"), &issued.chain).unwrap();
    let verified = |address: &str| {
        openssl(directory.path(), &["verify", "-verify_ip", address, "-CAfile", "ca.crt", "tls.crt"])
    };
    for address in addresses {
        assert_eq!(verified(address), "tls.crt: OK\n");
    }
    assert!(verified("192.0.2.8").contains("IP address mismatch"));
}

#[test]
fn what_does_not_belong_together_is_noticed() {
    let authority = as_authority(&root(now()));
    let issued = leaf(&authority);
    let due = |issued: Issued, authority: &Authority| leaf_request().due(&issued, authority, now());
    assert_eq!(due(Issued { key: key(0), ..issued.clone() }, &authority), Err(Defect::Key));
    let pkcs8 = KeySpec { algorithm: Algorithm::Rsa, encoding: Encoding::Pkcs8, size: 2048 };
    let modern = leaf_request().issue(&authority, generate(pkcs8).unwrap(), [3; 16], now()).unwrap();
    assert_eq!(due(modern, &authority), Err(Defect::Key), "Harbor reads PKCS#1 alone");
    for part in [Issued { chain: "x".into(), ..issued.clone() }, Issued { key: "x".into(), ..issued.clone() }]
    {
        assert_eq!(due(part, &authority), Err(Defect::Unreadable));
    }
    assert_eq!(
        due(Issued { authority: issued.chain.clone(), ..issued.clone() }, &authority),
        Err(Defect::Signature)
    );
    assert_eq!(due(issued.clone(), &Authority::Itself), Err(Defect::Signature));
    let other = authority_request().issue(&Authority::Itself, key(1), [1; 16], now()).unwrap();
    assert_eq!(due(issued, &as_authority(&other)), Err(Defect::Signature));
}

#[test]
fn a_leaf_follows_its_authority_when_that_is_renewed() {
    let (old, new) = (root(now()), root(after(1)));
    let issued = leaf(&as_authority(&old));
    assert_eq!(leaf_request().due(&issued, &as_authority(&new), now()), Err(Defect::Signature));
}

#[test]
fn a_leaf_or_another_key_cannot_sign() {
    let leaf = leaf(&Authority::Itself);
    let refused = |chain: &str, key: String| Authority::from_pem(chain.into(), key).unwrap_err().to_string();
    assert_eq!(refused(&leaf.chain, leaf.key.clone()), "certificate is not a CA");
    assert_eq!(refused(&root(now()).chain, key(1)), "the authority has a certificate for another key");
    assert_eq!(refused("", key(1)), "the authority has no certificate");
}

#[test]
fn keys_stay_out_of_debug_output() {
    let root = root(now());
    let shown = format!("{root:?} {:?}", as_authority(&root));
    assert!(!shown.contains("PRIVATE KEY"), "{shown}");
}

#[test]
fn an_authority_is_limited_when_it_is_renewed_and_not_before() {
    let limited = |names: &[&str]| Request {
        purpose: Purpose::Authority { only_for: Some(names.iter().map(ToString::to_string).collect()) },
        ..authority_request()
    };
    let due = |request: &Request, held: &Issued| request.due(held, &Authority::Itself, now()).map(drop);
    assert_eq!(due(&limited(&["core"]), &unlimited()), Ok(()), "an older build issued it");
    let held = root(now());
    assert_eq!(due(&limited(&["core"]), &held), Ok(()), "it may sign for more");
    assert_eq!(due(&limited(&["core", "trivy"]), &held), Err(Defect::Names), "it may not sign for all");
    let anything = Request { purpose: Purpose::Authority { only_for: None }, ..authority_request() };
    assert_eq!(due(&anything, &held), Err(Defect::Names));
    let unwritable = limited(&["käse"]).issue(&Authority::Itself, key(0), [1; 16], now());
    assert!(matches!(unwritable, Err(IssueError::Certificate(_))));
}

/// Certificates that an attacker with the key of the authority could sign.
#[test]
fn openssl_refuses_what_an_authority_signs_beyond_its_limits() {
    let authority = as_authority(&root(now()));
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ca.crt"), root(now()).authority).unwrap();
    let verified = |request: &Request| {
        let issued = request.issue(&authority, key(1), [2; 16], now()).unwrap();
        fs::write(directory.path().join("tls.crt"), &issued.chain).unwrap();
        openssl(directory.path(), &["verify", "-x509_strict", "-CAfile", "ca.crt", "tls.crt"])
    };
    assert_eq!(verified(&leaf_request()), "tls.crt: OK\n");
    let named = |name: &str| Request { dns_names: vec![name.into()], ..leaf_request() };
    for name in ["github.com", "core.example.com", "score", "ns.svc"] {
        assert!(verified(&named(name)).contains("permitted subtree violation"), "{name}");
    }
    let address = Request { ip_addresses: vec![[192, 0, 2, 7].into()], ..leaf_request() };
    assert!(verified(&address).contains("excluded subtree violation"));
    let v6 = Request { ip_addresses: vec!["2001:db8::7".parse().unwrap()], ..leaf_request() };
    assert!(verified(&v6).contains("excluded subtree violation"));

    let below = Request { subject: "below".into(), ..authority_request() };
    let below = below.issue(&authority, key(1), [3; 16], now()).unwrap();
    let leaf = leaf_request().issue(&as_authority(&below), key(1), [4; 16], now()).unwrap();
    fs::write(directory.path().join("below.crt"), &below.chain).unwrap();
    fs::write(directory.path().join("tls.crt"), &leaf.chain).unwrap();
    let arguments = ["verify", "-CAfile", "ca.crt", "-untrusted", "below.crt", "tls.crt"];
    assert!(openssl(directory.path(), &arguments).contains("path length constraint exceeded"));
}

/// The old and the new authority have the same key and the same subject. Pods that trust either accept leaf
/// certificates of both, so connections work while some pods have not been restarted yet.
#[test]
fn openssl_verifies_leaves_of_a_renewed_authority_with_the_old_one_and_the_other_way_round() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (root(after(-1)), root(now()));
    assert_ne!(old.chain, new.chain);
    for (name, content) in [
        ("old-ca.crt", &old.authority),
        ("new-ca.crt", &new.authority),
        ("old.crt", &leaf(&as_authority(&old)).chain),
        ("new.crt", &leaf(&as_authority(&new)).chain),
        ("self.crt", &leaf(&Authority::Itself).chain),
        ("key.pem", &key(1)),
    ] {
        fs::write(directory.path().join(name), content).unwrap();
    }
    let verified = |ca: &str, purpose: &str, leaf: &str| {
        let arguments = ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca, leaf];
        openssl(directory.path(), &arguments)
    };
    for ca in ["old-ca.crt", "new-ca.crt"] {
        for leaf in ["old.crt", "new.crt"] {
            for purpose in ["sslserver", "sslclient"] {
                assert_eq!(verified(ca, purpose, leaf), format!("{leaf}: OK\n"), "{ca} {purpose}");
            }
        }
    }
    assert!(verified("new-ca.crt", "sslserver", "self.crt").contains("error"));

    let shown = openssl(
        directory.path(),
        &["x509", "-in", "new-ca.crt", "-noout", "-ext", "basicConstraints,keyUsage,nameConstraints"],
    );
    for expected in [
        "X509v3 Basic Constraints: critical\n    CA:TRUE, pathlen:0\n",
        "X509v3 Key Usage: critical\n    Certificate Sign, CRL Sign\n",
        "X509v3 Name Constraints: critical\n    Permitted:\n      DNS:core\n      DNS:core.ns.svc\n",
        "Excluded:\n      IP:0.0.0.0/0.0.0.0\n      IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0\n",
    ] {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    let extensions = "basicConstraints,keyUsage,extendedKeyUsage,subjectAltName";
    let shown = openssl(
        directory.path(),
        &["x509", "-in", "new.crt", "-noout", "-subject", "-nameopt", "RFC2253", "-ext", extensions],
    );
    for expected in [
        "CN=core",
        "CA:FALSE",
        "Digital Signature, Key Encipherment",
        "TLS Web Server Authentication, TLS Web Client Authentication",
        "DNS:core, DNS:core.ns.svc",
    ] {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    let shown = openssl(directory.path(), &["rsa", "-in", "key.pem", "-noout", "-check"]);
    assert!(shown.contains("RSA key ok"), "{shown}");
    assert!(key(1).starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
}

#[test]
fn while_one_authority_replaces_another_leaves_of_both_are_trusted() {
    let old = root(now());
    let request = Request { subject: "harbor-authority-1".into(), ..authority_request() };
    let new = request.issue(&Authority::Itself, key(1), [3; 16], now()).unwrap();
    let both = as_authority(&old).beside(&as_authority(&new)).unwrap();
    let leaf_of_old = leaf(&both);
    assert_eq!(leaf_of_old.authority, format!("{}{}", old.chain, new.chain));
    assert!(crate::Bundle::parse(leaf_of_old.authority.as_bytes()).unwrap().is_tidy());
    assert!(leaf_request().due(&leaf_of_old, &both, now()).is_ok());
    for trusted in [as_authority(&old), as_authority(&new).beside(&as_authority(&old)).unwrap()] {
        assert_eq!(leaf_request().due(&leaf_of_old, &trusted, now()), Err(Defect::Signature));
    }

    let leaf_of_new = leaf_request().issue(&as_authority(&new), key(0), [4; 16], now()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("both.crt"), &leaf_of_old.authority).unwrap();
    fs::write(directory.path().join("old.crt"), &old.chain).unwrap();
    fs::write(directory.path().join("leaf-of-old.crt"), &leaf_of_old.chain).unwrap();
    fs::write(directory.path().join("leaf-of-new.crt"), &leaf_of_new.chain).unwrap();
    let verified =
        |trusted: &str, leaf: &str| openssl(directory.path(), &["verify", "-CAfile", trusted, leaf]);
    assert_eq!(verified("both.crt", "leaf-of-old.crt"), "leaf-of-old.crt: OK\n");
    assert_eq!(verified("both.crt", "leaf-of-new.crt"), "leaf-of-new.crt: OK\n");
    assert!(verified("old.crt", "leaf-of-new.crt").contains("unable to get local issuer certificate"));
}
