//! PostgreSQL settings reach the database they describe.
//!
//! Harbor joins them to a connection string and, to migrate the schema, to a URL. Its driver reads the string as libpq
//! does, but for the backslash, which it mostly keeps: the password here has none.

use crate::cases::Case;
use components::core::Core;
use programs::{Identity, Postgres, Site, psql};
use serde_json::json;
use std::{collections::BTreeMap, fmt::Write as _};

/// Everything that Harbor can pass on and that means something to somebody on the way.
const PASSWORD: &str = r#"p@ss/w:rd#1%20?&=+$'"[ß]"#;

/// Who is connected to what, and whether it is encrypted.
const WHO: &str =
    "SELECT current_user, current_database(), ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

#[test]
fn core_reaches_its_database() {
    let server = server(None);
    let environment = core(&server, "disable").pod().environment("core");
    for connection in connections(&environment, "POSTGRESQL", "DATABASE") {
        assert_eq!(psql(&connection, &[], WHO).unwrap(), "harbor|core|f", "{connection}");
    }
}

#[test]
fn core_verifies_its_database_by_the_authorities_it_is_given() {
    let identity = Identity::loopback().unwrap();
    let server = server(Some(&identity));
    let core = core(&server, "verify-full").with("corporate-ca", "ca.crt", &identity.authority);
    let pod = core.pod();
    let site = Site::new().unwrap();
    let trusted = site.write("ca.crt", pod.file("core", "/harbor_cust_cert/corporate-ca.crt")).unwrap();
    for connection in connections(&pod.environment("core"), "POSTGRESQL", "DATABASE") {
        let trust = [("PGSSLROOTCERT", trusted.to_str().unwrap())];
        assert_eq!(psql(&connection, &trust, WHO).unwrap(), "harbor|core|t", "{connection}");
        // What makes the difference is the authority, not the mode alone.
        let error = psql(&connection, &[("PGSSLROOTCERT", "/nonexistent")], WHO).unwrap_err().to_string();
        assert!(error.contains("root certificate file \"/nonexistent\" does not exist"), "{error}");
    }
}

/// A server with a user and a database for Core.
fn server(tls: Option<&Identity>) -> Postgres {
    let server = Postgres::start(PASSWORD, tls).unwrap();
    let connection = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port());
    let password = PASSWORD.replace('\'', "''");
    for statement in
        [&format!("CREATE ROLE harbor LOGIN PASSWORD '{password}'"), "CREATE DATABASE core OWNER harbor"]
    {
        psql(&connection, &[("PGPASSWORD", PASSWORD)], statement).unwrap();
    }
    server
}

fn core(server: &Postgres, ssl_mode: &str) -> Case<Core> {
    let hosts = json!([{ "host": "127.0.0.1", "port": server.port() }]);
    Case::golden("full")
        .set("/spec/database/hosts", hosts)
        .set("/spec/database/parameters/sslmode", ssl_mode.into())
        .with("postgres", "postgres-password", PASSWORD)
}

/// What Harbor makes of the variables that begin with `prefix`; the one of the database's name ends with `name`.
fn connections(environment: &BTreeMap<String, String>, prefix: &str, name: &str) -> [String; 2] {
    let get = |variable: &str| &*environment[&format!("{prefix}_{variable}")];
    let (host, port, user, password) = (get("HOST"), get("PORT"), get("USERNAME"), get("PASSWORD"));
    let (name, ssl_mode) = (get(name), get("SSLMODE"));
    [
        format!("host={host} port={port} user={user} password={password} dbname={name} sslmode={ssl_mode}"),
        format!("postgres://{user}:{}@{host}:{port}/{name}?sslmode={ssl_mode}", encoded(password)),
    ]
}

/// As Go encodes the password of a URL.
fn encoded(password: &str) -> String {
    let mut encoded = String::new();
    for byte in password.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&byte) {
            encoded.push(byte.into());
        } else {
            write!(encoded, "%{byte:02X}").unwrap();
        }
    }
    encoded
}
