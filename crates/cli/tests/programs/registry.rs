//! The registry of an installation: it accepts the generated password, and its certificate is valid.

use crate::{
    installation::{Installation, PASSWORD},
    oci::Pusher,
    pod::localized,
};
use http::StatusCode;
use programs::{Client, Port, Redis, Registry, redis};
use serde_json::json;
use std::{fs, net::Ipv4Addr};

const CERTIFICATE: &str = "acme-harbor-internal-tls-registry";
const CREDENTIALS: &str = "acme-harbor-registry-basicauth";
const DEPLOYMENT: &str = "acme-harbor-registry";
const USER: &str = "harbor_registry_user";

#[test]
fn the_registry_accepts_the_generated_password() {
    let cache = Redis::start(&redis::Setup { password: Some(PASSWORD), ..redis::Setup::default() }).unwrap();
    let installation = Installation::of(
        json!({ "host": "127.0.0.1", "port": cache.port(), "passwordRef": "redis" }),
        &[CERTIFICATE, CREDENTIALS],
        &[DEPLOYMENT],
    );
    let server = start(&installation);

    let authority = &installation.secret(CERTIFICATE)["ca.crt"];
    let client = Client::https((Ipv4Addr::LOCALHOST, server.port()), authority, DEPLOYMENT);
    let comes_with =
        |password: &str| Pusher { client: client.clone(), credentials: Some((USER, password.to_owned())) };
    assert_eq!(comes_with("guess").welcome(), StatusCode::UNAUTHORIZED);
    let friend = comes_with(&installation.secret(CREDENTIALS)["secret"]);
    assert_eq!(friend.welcome(), StatusCode::OK);
    friend.push_and_pull("library/busybox", b"a layer");

    // Harbor's registry has the database of this number.
    let database = redis::Connection { password: Some(PASSWORD), database: 1, ..cache.connection() };
    let keys = database.ask(&["KEYS", "repository::library/busybox::blobs*"]).unwrap();
    assert!(!keys.is_empty(), "{}", server.log());
}

fn start(installation: &Installation) -> Registry {
    let pod = installation.pod(DEPLOYMENT);
    let (site, port) = (pod.site("registry"), Port::free().unwrap());
    fs::create_dir_all(site.folder().join("var/lib/registry")).unwrap();
    let configuration = localized(&pod.file("registry", "/etc/registry/config.yml"), &site);
    let configuration = configuration.replace("\":5000\"", &format!("127.0.0.1:{}", port.number()));
    let environment = pod.environment("registry");
    let environment: Vec<_> = environment.iter().map(|(name, value)| (&**name, &**value)).collect();
    Registry::start(site, port, &configuration, &environment).unwrap()
}
