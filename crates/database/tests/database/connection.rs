//! Connections to a real PostgreSQL: TLS, and what is said when there is none.

use crate::server::{PASSWORD, Server};
use database::{Connection, Settings, SslMode};
use programs::{Identity, Site};
use std::fs;

async fn connects(settings: &Settings, ssl_mode: SslMode) -> Result<(), String> {
    let settings = Settings { ssl_mode, ..settings.clone() };
    Connection::open(&settings).await.map(drop).map_err(|error| error.to_string())
}

/// Which connections the server accepts.
fn accept(server: &Server, lines: &str) {
    fs::write(server.0.folder().join("data/pg_hba.conf"), lines).unwrap();
    server.run("SELECT pg_reload_conf()");
}

#[tokio::test]
async fn a_server_without_tls_is_reached_unless_tls_is_required() {
    let server = Server::start();
    for mode in [SslMode::Disable, SslMode::Allow, SslMode::Prefer] {
        assert_eq!(connects(&server.settings(), mode).await, Ok(()), "{mode:?}");
    }
    let error = connects(&server.settings(), SslMode::Require).await.unwrap_err();
    assert!(error.starts_with("cannot connect to PostgreSQL at 127.0.0.1:"), "{error}");
    assert!(error.contains("TLS"), "{error}");
}

#[tokio::test]
async fn a_server_that_insists_on_tls_is_reached_unless_tls_is_disabled() {
    let identity = Identity::loopback().unwrap();
    let server = Server::with_tls(&identity);
    accept(&server, "hostssl all all all scram-sha-256\nhostnossl all all all reject\n");
    for mode in [SslMode::Allow, SslMode::Prefer, SslMode::Require] {
        assert_eq!(connects(&server.settings(), mode).await, Ok(()), "{mode:?}");
    }
    let error = connects(&server.settings(), SslMode::Disable).await.unwrap_err();
    assert!(error.contains("refuses the connection") && error.contains("POSTGRESQL_SSLMODE"), "{error}");
}

#[tokio::test]
async fn a_certificate_is_verified_by_the_authorities_that_are_named() {
    let (identity, other) = (Identity::loopback().unwrap(), Identity::loopback().unwrap());
    let server = Server::with_tls(&identity);
    let site = Site::new().unwrap();
    let right = site.write("ca.crt", &identity.authority).unwrap();
    let wrong = site.write("other.crt", &other.authority).unwrap();
    let folder = right.parent().unwrap().to_owned();
    for mode in [SslMode::VerifyCa, SslMode::VerifyFull] {
        for authorities in [&right, &folder] {
            let settings = Settings { authorities: Some(authorities.clone()), ..server.settings() };
            assert_eq!(connects(&settings, mode).await, Ok(()), "{mode:?} {authorities:?}");
        }
        let settings = Settings { authorities: Some(wrong.clone()), ..server.settings() };
        let error = connects(&settings, mode).await.unwrap_err();
        assert!(error.contains("invalid peer certificate"), "{error}");
        let settings = Settings { authorities: Some("/nonexistent".into()), ..server.settings() };
        let error = connects(&settings, mode).await.unwrap_err();
        assert!(error.starts_with("the authorities in /nonexistent: "), "{error}");
    }
}

#[tokio::test]
async fn only_verify_full_compares_the_name_in_the_certificate() {
    let identity = Identity::loopback().unwrap();
    let server = Server::with_tls(&identity);
    let site = Site::new().unwrap();
    let authorities = Some(site.write("ca.crt", &identity.authority).unwrap());
    // The certificate is for 127.0.0.1 and localhost.
    let settings = Settings { host: "0.0.0.0".into(), authorities, ..server.settings() };
    assert_eq!(connects(&settings, SslMode::VerifyCa).await, Ok(()));
    let error = connects(&settings, SslMode::VerifyFull).await.unwrap_err();
    assert!(error.contains("not valid for"), "{error}");
}

#[tokio::test]
async fn a_refusal_says_what_to_check_and_never_the_password() {
    let server = Server::start();
    let wrong = Settings { password: Some("hunter2".to_owned().into()), ..server.settings() };
    let error = connects(&wrong, SslMode::Prefer).await.unwrap_err();
    let expected = format!(
        "PostgreSQL at 127.0.0.1:{} refuses the connection: password authentication failed for user \"postgres\"; \
         check POSTGRESQL_USERNAME, POSTGRESQL_PASSWORD and POSTGRESQL_SSLMODE",
        server.0.port()
    );
    assert_eq!(error, expected);

    let missing = Settings { database: "core".into(), ..server.settings() };
    let error = connects(&missing, SslMode::Prefer).await.unwrap_err();
    assert!(error.ends_with("database \"core\" does not exist; check POSTGRESQL_DATABASE"), "{error}");
    assert!(!error.contains(PASSWORD));

    let closed = Settings { port: programs::Port::free().unwrap().number(), ..server.settings() };
    let error = connects(&closed, SslMode::Prefer).await.unwrap_err();
    assert!(error.contains("Connection refused"), "{error}");
}
