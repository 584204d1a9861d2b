//! The commands for the database of a Harbor, on a real PostgreSQL.

use programs::{Postgres, Site, psql};
use std::process::Command;

pub const PASSWORD: &str = "p@ss/w:rd";

pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command with the environment of Core's container.
pub fn run(server: &Postgres, password: &str, arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .arg("database")
        .args(arguments)
        .env("POSTGRESQL_HOST", "127.0.0.1")
        .env("POSTGRESQL_PORT", server.port().to_string())
        .env("POSTGRESQL_USERNAME", "postgres")
        .env("POSTGRESQL_PASSWORD", password)
        .env("POSTGRESQL_DATABASE", "postgres")
        .env("POSTGRESQL_SSLMODE", "prefer")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub fn sql(server: &Postgres, statements: &str) -> String {
    let connection = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port());
    psql(&connection, &[("PGPASSWORD", PASSWORD)], statements).unwrap()
}

/// A server whose newest file is 140, dirty and not applied.
pub fn dirty() -> Postgres {
    let server = Postgres::start(PASSWORD, None).unwrap();
    sql(
        &server,
        "CREATE TABLE schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL);
         INSERT INTO schema_migrations VALUES (140, true)",
    );
    server
}

#[test]
fn the_schema_is_shown_and_repaired() {
    let server = dirty();
    let shown = run(&server, PASSWORD, &["schema"]);
    let expected = "schema version   140\ndirty            yes\nHarbor           2.11.0 or later, before 2.12.0\n\
                    file 140         has not been applied: the schema is that of file 130\n";
    assert_eq!((shown.code, shown.stdout.as_str(), shown.stderr.as_str()), (Some(0), expected, ""));
    let repaired = run(&server, PASSWORD, &["repair-schema"]);
    let expected = format!("{expected}repaired: the schema has version 130, and is not dirty\n");
    assert_eq!((repaired.code, repaired.stdout, repaired.stderr.as_str()), (Some(0), expected, ""));
    assert_eq!(sql(&server, "SELECT version, dirty FROM schema_migrations"), "130|f");
    let again = run(&server, PASSWORD, &["repair-schema"]);
    assert!(again.stdout.ends_with("nothing to repair\n"), "{}", again.stdout);
}

#[test]
fn a_schema_that_cannot_be_repaired_fails_with_the_reason_at_the_end() {
    let server = dirty();
    sql(&server, "UPDATE schema_migrations SET version = 190");
    let ran = run(&server, PASSWORD, &["repair-schema"]);
    assert_eq!(ran.code, Some(1));
    let reason = "error: the database: file 190 is dirty, and is none of Harbor 2.5 to 2.15; use the version of this program \
                  that knows it, or restore a backup\n";
    assert_eq!(ran.stderr, reason);
}

#[test]
fn a_wrong_password_and_a_missing_setting_are_explained_without_the_password() {
    let server = dirty();
    let ran = run(&server, "hunter2", &["schema"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("password authentication failed for user \"postgres\""), "{}", ran.stderr);
    assert!(!ran.stderr.contains("hunter2"));
    let ran = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .args(["database", "schema"])
        .env_remove("POSTGRESQL_HOST")
        .output()
        .unwrap();
    let words = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(
        words,
        "error: the database: POSTGRESQL_HOST is not set; set it as in the environment of Core\n"
    );
}

#[test]
fn credentials_are_encrypted_with_the_key_in_a_file() {
    let server = dirty();
    sql(
        &server,
        &format!(
            "CREATE TABLE properties (id serial PRIMARY KEY, k text, v text);
         INSERT INTO properties (k, v) VALUES ('ldap_search_password', '{ENCRYPTED}')"
        ),
    );
    let site = Site::new().unwrap();
    let file = |name: &str, key: &str| site.write(name, key).unwrap().display().to_string();
    let (old, new) = (file("old", KEY), file("new", "fedcba9876543210"));
    let keys =
        |old: &str, new: &str| run(&server, PASSWORD, &["reencrypt", "--old-key", old, "--new-key", new]);
    let checked = run(&server, PASSWORD, &["reencrypt", "--old-key", &old, "--new-key", &new, "--check"]);
    assert_eq!(checked.stdout, "the credentials can be encrypted with the new key\n");
    assert_eq!(sql(&server, "SELECT v FROM properties"), ENCRYPTED);
    let done = keys(&old, &new);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "1 credential is encrypted with the new key now\n")
    );
    assert_ne!(sql(&server, "SELECT v FROM properties"), ENCRYPTED);
    let again = keys(&old, &new);
    assert_eq!(again.stdout, "the credentials were encrypted with the new key before\n");

    let short = keys(&new, &file("short", "fedcba9876543210\n"));
    assert_eq!(short.code, Some(1));
    assert!(
        short.stderr.contains("it has 17 bytes; Harbor encrypts with 16, 24 or 32 bytes"),
        "{}",
        short.stderr
    );
    let missing = keys(&new, "/nonexistent");
    assert!(missing.stderr.contains("--new-key /nonexistent: No such file"), "{}", missing.stderr);
}

/// `Harbor12345`, encrypted with the key by OpenSSL.
pub const ENCRYPTED: &str = "<enc-v1>YSByYW5kb20gc3RhcnQhIS+fm6NUoI8JNRaz";
pub const KEY: &str = "0123456789abcdef";
