//! With the registry's configuration, Debian's docker-registry accepts and serves images.
//!
//! That is distribution 2.8 as Harbor's is, without Harbor's additions (sentinels, TLS and users of Redis) and
//! without the drivers for Azure, Google and Alibaba. RegistryController, which reads the same file, is not
//! available.

use crate::{cases::Case, oci::Pusher, pod::localized, recorder::Recorder};
use components::registry;
use http::StatusCode;
use jiff::Timestamp;
use pki::{Algorithm, Authority, Encoding, KeySpec, Purpose, Request};
use programs::{Client, Failure, Identity, Nginx, Port, Redis, Registry, Site, redis};
use serde_json::{Value, json};
use std::{fs, net::Ipv4Addr};

const USER: &str = "harbor_registry_user";

/// Every character that is special in YAML, as which the registry parses its environment.
const PASSWORD: &str = r#"0123: #{p@ss}'" *&![ß]"#;

#[test]
fn a_client_with_the_password_pushes_and_pulls_over_tls() {
    let identity = Identity::loopback().unwrap();
    let hash =
        bcrypt::hash_with_salt(PASSWORD, 4, [7; 16]).unwrap().format_for_version(bcrypt::Version::TwoB);
    let case = Case::golden("tls").proven_by(&identity);
    let server = start(&case.with("registry-basicauth", "htpasswd", format!("{USER}:{hash}"))).unwrap();

    let client = Client::https((Ipv4Addr::LOCALHOST, server.port()), &identity.authority, "localhost");
    let comes_with = |credentials| Pusher { client: client.clone(), credentials };
    assert_eq!(comes_with(None).welcome(), StatusCode::UNAUTHORIZED);
    assert_eq!(comes_with(Some((USER, "guess".to_owned()))).welcome(), StatusCode::UNAUTHORIZED);
    let friend = comes_with(Some((USER, PASSWORD.to_owned())));
    assert_eq!(friend.welcome(), StatusCode::OK);
    friend.push_and_pull("library/busybox", b"a layer");
    // Where the volume is mounted.
    assert!(
        server.folder().join("var/lib/registry/docker/registry/v2/repositories/library/busybox").exists()
    );
}

#[test]
fn what_is_pushed_is_remembered_in_redis() {
    let cache = Redis::start(&redis::Setup { password: Some(PASSWORD), ..redis::Setup::default() }).unwrap();
    let case = Case::<registry::Registry>::golden("harbor-2.15")
        .set("/spec/redis/host", "127.0.0.1".into())
        .set("/spec/redis/port", cache.port().into())
        .set("/spec/redis/username", Value::Null)
        .set("/spec/redis/database", 3.into())
        .with("redis", "redis-password", PASSWORD);
    let server = start(&case).unwrap();
    let client = Client::http((Ipv4Addr::LOCALHOST, server.port()));
    Pusher { client, credentials: None }.push_and_pull("library/busybox", b"a layer");

    let database = redis::Connection { password: Some(PASSWORD), database: 3, ..cache.connection() };
    let keys = database.ask(&["KEYS", "repository::library/busybox::blobs*"]).unwrap();
    assert!(!keys.is_empty(), "{}", server.log());
}

#[test]
fn s3_is_asked_as_the_spec_says() {
    let listing = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
    let storage = Recorder::start("200 OK", "application/xml", listing);
    let driver = json!({ "s3": {
        "region": "eu-central-1", "bucket": "images", "rootdirectory": "/harbor", "secure": false,
        "regionendpoint": format!("http://127.0.0.1:{}", storage.port()),
        "accesskeyRef": "s3-credentials", "secretkeyRef": "s3-credentials",
    }});
    let server = start(&with_driver(driver, "s3-credentials", &["accesskey", "secret"])).unwrap();
    // Whatever it makes of the answer.
    Client::http((Ipv4Addr::LOCALHOST, server.port())).get("/v2/_catalog").unwrap();

    let asked = storage.requests().into_iter().next().unwrap();
    assert!(asked.line.starts_with("GET /images?"), "{asked:?}");
    assert!(asked.line.contains("prefix=harbor%2Fdocker%2Fregistry%2Fv2%2Frepositories%2F"), "{asked:?}");
    assert!(asked.headers.contains(&format!("Credential={WORD}/")), "{asked:?}");
    assert!(asked.headers.contains("/eu-central-1/s3/aws4_request"), "{asked:?}");
}

/// Harbor's components are Go programs, and so is the registry: a storage service over TLS stands in for a component.
#[test]
fn go_accepts_what_an_authority_signs_for_its_services_and_nothing_else() {
    assert_eq!(catalogue(&["localhost"], "localhost"), Ok(()));
    let names = ["acme-harbor-core", "localhost"];
    assert_eq!(catalogue(&names, "localhost"), Ok(()), "names without a dot are names");
    for (only_for, host, complaint) in [
        (&["acme-harbor-core"][..], "localhost", "is not permitted by any constraint"),
        (&["localhost"], "127.0.0.1", "is excluded by constraint"),
    ] {
        let log = catalogue(only_for, host).unwrap_err();
        assert!(log.contains(complaint), "{complaint} is not in {log}");
    }
}

/// Whether a registry trusts a store on this host, with a certificate of an authority that is limited to these names. Its
/// log, if it does not.
fn catalogue(only_for: &[&str], host: &str) -> Result<(), String> {
    let request = |subject: &str, purpose: Purpose| Request {
        subject: subject.into(),
        dns_names: vec![],
        ip_addresses: vec![],
        purpose,
        days: 1,
    };
    let issue = |request: Request, authority: &Authority| {
        let elliptic = KeySpec { algorithm: Algorithm::Ecdsa, encoding: Encoding::Pkcs8, size: 256 };
        request.issue(authority, pki::generate(elliptic).unwrap(), [1; 16], Timestamp::now()).unwrap()
    };
    let only_for = Some(only_for.iter().map(ToString::to_string).collect());
    let root = issue(request("root", Purpose::Authority { only_for }), &Authority::Itself);
    let authority = Authority::from_pem(root.chain, root.key).unwrap();
    let mut leaf = request("store", Purpose::Leaf);
    match host.parse() {
        Ok(address) => leaf.ip_addresses.push(address),
        Err(_) => leaf.dns_names.push(host.into()),
    }
    let leaf = issue(leaf, &authority);

    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    site.write("tls.crt", &leaf.chain).unwrap();
    site.write("tls.key", &leaf.key).unwrap();
    let number = port.number();
    let listing = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
    let configuration = format!(
        "pid nginx.pid; events {{}}\nhttp {{ access_log off; client_body_temp_path a; proxy_temp_path b;\n\
         fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;\n\
         server {{ listen {number} ssl; listen [::]:{number} ssl; ssl_certificate tls.crt; ssl_certificate_key tls.key;\n\
         default_type application/xml; return 200 \"{listing}\"; }} }}\n"
    );
    let _store = Nginx::start(site, vec![port], &configuration).unwrap();

    let driver = json!({ "s3": {
        "region": "eu-central-1", "bucket": "images", "regionendpoint": format!("https://{host}:{number}"),
        "accesskeyRef": "s3-credentials", "secretkeyRef": "s3-credentials",
    }});
    let trusted = Site::new().unwrap();
    let file = trusted.write("ca.crt", &root.authority).unwrap();
    let variables = json!([{ "name": "SSL_CERT_FILE", "value": file.to_str().unwrap() }]);
    let case =
        with_driver(driver, "s3-credentials", &["accesskey", "secret"]).set("/spec/extraEnv", variables);
    let server = start(&case).unwrap();
    let answer = Client::http((Ipv4Addr::LOCALHOST, server.port())).get("/v2/_catalog").unwrap();
    if answer.status() == StatusCode::OK { Ok(()) } else { Err(server.log()) }
}

#[test]
fn b11_swift_gets_tenants_by_name_and_by_number() {
    for (tenant, project) in [
        (json!({ "tenant": "registry" }), json!({ "name": "registry", "domain": { "name": "Default" } })),
        (json!({ "tenantID": "0123" }), json!({ "id": "0123" })),
    ] {
        let keystone = Recorder::start("401 Unauthorized", "application/json", "{}");
        let mut driver = json!({
            "authurl": format!("http://127.0.0.1:{}/v3", keystone.port()), "container": "images",
            "username": "harbor", "passwordRef": "swift", "domain": "Default", "authversion": "3",
        });
        driver.as_object_mut().unwrap().extend(tenant.as_object().unwrap().clone());
        let error = start(&with_driver(json!({ "swift": driver }), "swift", &["secret"])).unwrap_err();
        assert!(error.to_string().contains("swift authentication failed"), "{error}");

        let asked = keystone.requests().into_iter().next().unwrap();
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let user = json!({ "name": "harbor", "password": WORD, "domain": { "name": "Default" } });
        assert_eq!(body["auth"]["identity"]["password"]["user"], user);
        assert_eq!(body["auth"]["scope"]["project"], project);
    }
}

#[test]
fn a_registry_that_wants_tokens_says_where_to_get_them() {
    let case = Case::<registry::Registry>::golden("harbor-2.8")
        .proven_by(&Identity::loopback().unwrap())
        .set("/spec/authentication/token/autoredirect", false.into())
        .set("/spec/storage/driver", json!({ "inmemory": {} }));
    let server = start(&case).unwrap();
    let answer = Client::http((Ipv4Addr::LOCALHOST, server.port())).get("/v2/").unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
    let realm = r#"Bearer realm="https://harbor.example.com/service/token",service="harbor-registry""#;
    assert!(challenge.starts_with(realm), "{challenge}");
}

/// A number in YAML, as which the registry parses its environment.
const WORD: &str = "00123456";

/// A registry on another store, whose Secret holds the same under each of these keys.
fn with_driver(driver: Value, secret: &str, keys: &[&str]) -> Case<registry::Registry> {
    let mut case = Case::<registry::Registry>::golden("minimal").set("/spec/storage/driver", driver);
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": secret, "namespace": "registry" },
    }));
    keys.iter().fold(case, |case, key| case.with(secret, key, WORD))
}

/// The registry of a pod, with its folders and its port on this machine.
fn start(case: &Case<registry::Registry>) -> Result<Registry, Failure> {
    let pod = case.pod();
    let (site, port) = (pod.site("registry"), Port::free()?);
    fs::create_dir_all(site.folder().join("var/lib/registry")).unwrap();
    let configuration = localized(&pod.file("registry", "/etc/registry/config.yml"), &site);
    assert!(configuration.contains("\":5000\""));
    let configuration = configuration.replace("\":5000\"", &format!("127.0.0.1:{}", port.number()));
    let environment = pod.environment("registry");
    let environment: Vec<_> = environment.iter().map(|(name, value)| (&**name, &**value)).collect();
    Registry::start(site, port, &configuration, &environment)
}
