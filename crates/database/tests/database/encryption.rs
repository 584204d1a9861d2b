//! Encrypting credentials with another key, in a real PostgreSQL with the tables of Harbor.

use crate::server::Server;
use database::encryption::{Key, ReencryptError, Reencrypted, Refusal};
use programs::{Site, openssl};
use std::fmt::Write as _;

const OLD: &[u8] = b"0123456789abcdef";
const NEW: &[u8] = b"fedcba9876543210fedcba9876543210";

fn keys() -> (Key, Key) {
    (Key::new(OLD).unwrap(), Key::new(NEW).unwrap())
}

/// The tables of Harbor, reduced to what is read.
const TABLES: &str = "
    CREATE TABLE registry (id serial PRIMARY KEY, access_secret varchar(4096));
    CREATE TABLE properties (id serial PRIMARY KEY, k varchar(64), v varchar(1024));
    CREATE TABLE oidc_user (id serial PRIMARY KEY, secret varchar(255), token text);
    CREATE TABLE scanner_registration (id serial PRIMARY KEY, access_cred varchar(512));
    CREATE TABLE p2p_preheat_instance (id serial PRIMARY KEY, auth_data varchar(255));";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// OpenSSL's arguments for AES in cipher feedback mode.
fn mode(key: &[u8], start: &[u8; 16]) -> Vec<String> {
    let bits = key.len() * 8;
    let arguments = ["enc", &format!("-aes-{bits}-cfb"), "-nosalt", "-K", &hex(key), "-iv", &hex(start)];
    arguments.map(str::to_owned).to_vec()
}

/// A value as Harbor writes it, encrypted by OpenSSL.
fn encrypted(text: &str, key: &[u8]) -> String {
    const START: [u8; 16] = *b"a random start!!";
    let site = Site::new().unwrap();
    let (from, to) = (site.write("text", text).unwrap(), site.folder().join("encrypted"));
    let mut arguments = mode(key, &START);
    arguments.extend(["-in".into(), from.display().to_string(), "-out".into(), to.display().to_string()]);
    openssl(&arguments).unwrap();
    let bytes = [&START[..], &std::fs::read(to).unwrap()].concat();
    let from = site.write("bytes", bytes).unwrap();
    let base64 = openssl(["base64", "-A", "-in", &from.display().to_string()]).unwrap();
    format!("<enc-v1>{}", base64.trim())
}

/// The text of a value of Harbor, decrypted by OpenSSL.
fn decrypted(value: &str, key: &[u8]) -> String {
    let site = Site::new().unwrap();
    let base64 = site.write("base64", value.strip_prefix("<enc-v1>").unwrap()).unwrap();
    let bytes = site.folder().join("bytes");
    let (base64, to) = (base64.display().to_string(), bytes.display().to_string());
    openssl(["base64", "-d", "-A", "-in", &base64, "-out", &to]).unwrap();
    let bytes = std::fs::read(bytes).unwrap();
    let (start, rest) = bytes.split_first_chunk().unwrap();
    let from = site.write("encrypted", rest).unwrap().display().to_string();
    let mut arguments = mode(key, start);
    arguments.extend(["-d".into(), "-in".into(), from]);
    openssl(&arguments).unwrap()
}

/// A Harbor with a credential in every place.
fn harbor(server: &Server, key: &[u8]) {
    let value = |text: &str| format!("'{}'", encrypted(text, key));
    server.run(&format!(
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; {TABLES}
         INSERT INTO registry (access_secret) VALUES ({}), (''), (NULL), ('cGxhaW4=');
         INSERT INTO properties (k, v) VALUES ('ldap_search_password', {}), ('auth_mode', 'oidc_auth');
         INSERT INTO oidc_user (secret, token) VALUES ({}, {});
         INSERT INTO scanner_registration (access_cred) VALUES ({}), ('plain');
         INSERT INTO p2p_preheat_instance (auth_data) VALUES ({});",
        value("registry-password-ß"),
        value("ldap password"),
        value("R6hNYqYCdnkdz9iEkXOSkWKQ8kLYAyMM"),
        value(&format!("{{\"access_token\": \"{}\"}}", "x".repeat(3000))),
        value("scanner:credential"),
        value("{\"username\": \"admin\", \"password\": \"preheat\"}"),
    ));
}

const ENCRYPTED: &str = "
    SELECT access_secret FROM registry WHERE access_secret LIKE '<enc-v1>%'
    UNION ALL SELECT v FROM properties WHERE v LIKE '<enc-v1>%'
    UNION ALL SELECT secret FROM oidc_user UNION ALL SELECT token FROM oidc_user
    UNION ALL SELECT access_cred FROM scanner_registration WHERE access_cred LIKE '<enc-v1>%'
    UNION ALL SELECT auth_data FROM p2p_preheat_instance";

/// All rows of the tables.
fn rows(server: &Server) -> String {
    server.run(
        "SELECT id, access_secret FROM registry UNION ALL SELECT id, v FROM properties
         UNION ALL SELECT id, secret || token FROM oidc_user
         UNION ALL SELECT id, access_cred FROM scanner_registration
         UNION ALL SELECT id, auth_data FROM p2p_preheat_instance",
    )
}

#[tokio::test]
async fn every_credential_is_encrypted_with_the_new_key_and_nothing_else_changes() {
    let server = Server::start();
    harbor(&server, OLD);
    let (old, new) = keys();
    let before = rows(&server);
    // Core may be writing.
    let core = server.session().await;
    core.batch_execute("BEGIN; UPDATE registry SET access_secret = access_secret").await.unwrap();
    let would = server.connect().await.can_reencrypt(&old, &new).await.unwrap();
    core.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!((would, rows(&server)), (Reencrypted::Now(6), before.clone()));
    let done = server.connect().await.reencrypt(&old, &new).await.unwrap();
    assert_eq!(done, Reencrypted::Now(6));
    let texts: Vec<_> = server.run(ENCRYPTED).lines().map(|value| decrypted(value, NEW)).collect();
    assert_eq!(texts[..3], ["registry-password-ß", "ldap password", "R6hNYqYCdnkdz9iEkXOSkWKQ8kLYAyMM"]);
    assert_eq!(texts[3].len(), 3000 + "{\"access_token\": \"\"}".len());
    assert_eq!(texts[4..], ["scanner:credential", "{\"username\": \"admin\", \"password\": \"preheat\"}"]);
    let plain = |rows: &str| -> Vec<_> {
        rows.lines().filter(|row| !row.contains("<enc-v1>")).map(str::to_owned).collect()
    };
    assert_eq!(plain(&rows(&server)), plain(&before));

    let again = server.connect().await.reencrypt(&old, &new).await.unwrap();
    assert_eq!(again, Reencrypted::Before);
    assert_eq!(server.connect().await.can_reencrypt(&old, &new).await.unwrap(), Reencrypted::Before);
    let back = server.connect().await.reencrypt(&new, &old).await.unwrap();
    assert_eq!(back, Reencrypted::Now(6));
    let texts: Vec<_> = server.run(ENCRYPTED).lines().map(|value| decrypted(value, OLD)).collect();
    assert_eq!(texts[1], "ldap password");
}

#[tokio::test]
async fn two_equal_credentials_get_different_values() {
    let server = Server::start();
    harbor(&server, OLD);
    let same = encrypted("the same password", OLD);
    server.run(&format!("UPDATE registry SET access_secret = '{same}'"));
    let (old, new) = keys();
    server.connect().await.reencrypt(&old, &new).await.unwrap();
    let distinct = server.run("SELECT count(DISTINCT access_secret), count(*) FROM registry");
    assert_eq!(distinct, "4|4");
}

#[tokio::test]
async fn one_credential_of_another_key_leaves_everything_as_it_is() {
    let server = Server::start();
    harbor(&server, OLD);
    let foreign = encrypted("a password of another Harbor", b"another key 1234");
    server.run(&format!("INSERT INTO registry (id, access_secret) VALUES (77, '{foreign}')"));
    let before = rows(&server);
    let (old, new) = keys();
    let refused = server.connect().await.can_reencrypt(&old, &new).await.unwrap_err();
    assert!(
        matches!(refused, ReencryptError::Refused(Refusal::Undecryptable { key: "old", .. })),
        "{refused}"
    );
    let refused = server.connect().await.reencrypt(&old, &new).await.unwrap_err();
    let ReencryptError::Refused(Refusal::Undecryptable { key: "old", places }) = refused else {
        panic!("{refused}");
    };
    let places: Vec<_> = places.iter().map(ToString::to_string).collect();
    assert_eq!(places, ["registry.access_secret (id 77)"]);
    assert_eq!(rows(&server), before);
}

#[tokio::test]
async fn a_harbor_without_credentials_and_a_database_without_a_harbor_are_done_at_once() {
    let server = Server::start();
    let (old, new) = keys();
    assert_eq!(server.connect().await.reencrypt(&old, &new).await.unwrap(), Reencrypted::Now(0));
    server.run(TABLES);
    assert_eq!(server.connect().await.reencrypt(&old, &new).await.unwrap(), Reencrypted::Now(0));
    assert_eq!(server.connect().await.reencrypt(&old, &new).await.unwrap(), Reencrypted::Before);
}

#[tokio::test]
async fn a_run_that_is_killed_before_it_commits_changes_nothing_and_the_next_one_does_everything() {
    let server = Server::start();
    harbor(&server, OLD);
    let before = rows(&server);
    // It has locked the first tables, and waits for this one.
    let other = server.session().await;
    other.batch_execute("BEGIN; LOCK TABLE p2p_preheat_instance").await.unwrap();
    let mut connection = server.connect().await;
    let (old, new) = keys();
    let run = tokio::spawn(async move { connection.reencrypt(&old, &new).await });
    let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    while other.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        tokio::task::yield_now().await;
    }
    server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'harbor-operator'",
    );
    let lost = run.await.unwrap().unwrap_err().to_string();
    assert!(lost.starts_with("the connection to PostgreSQL was lost while this program"), "{lost}");
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(rows(&server), before);
    let (old, new) = keys();
    assert_eq!(server.connect().await.reencrypt(&old, &new).await.unwrap(), Reencrypted::Now(6));
}

#[tokio::test]
async fn a_core_that_still_runs_cannot_add_a_credential_meanwhile() {
    let server = Server::start();
    harbor(&server, OLD);
    let core = server.session().await;
    let value = encrypted("a late password", OLD);
    let insert = format!("BEGIN; INSERT INTO registry (access_secret) VALUES ('{value}')");
    core.batch_execute(&insert).await.unwrap();
    let mut connection = server.connect().await;
    let (old, new) = keys();
    let run = tokio::spawn(async move { connection.reencrypt(&old, &new).await });
    core.batch_execute("COMMIT").await.unwrap();
    assert_eq!(run.await.unwrap().unwrap(), Reencrypted::Now(7), "it is waited for");
}
