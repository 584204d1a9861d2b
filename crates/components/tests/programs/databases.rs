//! PostgreSQL settings reach the database they describe.
//!
//! Core and the exporter join them to a connection string and, to migrate the schema, to a URL. Their driver reads the
//! string as libpq does, but for the backslash, which it mostly keeps: the password here has none. Notary is given a URL.

use crate::cases::Case;
use components::{core::Core, exporter::Exporter, notaryserver::NotaryServer, notarysigner::NotarySigner};
use plan::Component;
use programs::{Identity, Postgres, Site, psql};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _, fs};

/// Every character that Harbor can pass on and that is special to a program on the way.
const PASSWORD: &str = r#"p@ss/w:rd#1%20?&=+$'"[ß]"#;

/// The user and the database of a connection, and whether it is encrypted.
const WHO: &str =
    "SELECT current_user, current_database(), ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

#[test]
fn core_reaches_its_database() {
    let server = server("harbor", "core", None);
    let core = pointed_at::<Core>(&server, "/spec/database", Some("disable"));
    for connection in connections(&core.pod().environment("core"), "POSTGRESQL", "DATABASE") {
        assert_eq!(psql(&connection, &[], WHO).unwrap(), "harbor|core|f", "{connection}");
    }
}

#[test]
fn the_exporter_reaches_cores_database() {
    let server = server("harbor", "core", None);
    let exporter = pointed_at::<Exporter>(&server, "/spec/database", Some("disable"));
    for connection in connections(&exporter.pod().environment("exporter"), "HARBOR_DATABASE", "DBNAME") {
        assert_eq!(psql(&connection, &[], WHO).unwrap(), "harbor|core|f", "{connection}");
    }
}

#[test]
fn a_database_that_insists_on_tls_or_has_none_is_reached_without_a_word_about_it() {
    let reached = |server: &Postgres| {
        let core = pointed_at::<Core>(server, "/spec/database", None);
        let exporter = pointed_at::<Exporter>(server, "/spec/database", None);
        let core = connections(&core.pod().environment("core"), "POSTGRESQL", "DATABASE");
        let exporter = connections(&exporter.pod().environment("exporter"), "HARBOR_DATABASE", "DBNAME");
        core.into_iter().chain(exporter).map(|it| psql(&it, &[], WHO).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(reached(&server("harbor", "core", None)), ["harbor|core|f"; 4]);

    let server = server("harbor", "core", Some(&Identity::loopback().unwrap()));
    let administrator = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port());
    fs::write(server.folder().join("data/pg_hba.conf"), "hostssl all all all scram-sha-256\n").unwrap();
    psql(&administrator, &[("PGPASSWORD", PASSWORD)], "SELECT pg_reload_conf()").unwrap();
    assert_eq!(reached(&server), ["harbor|core|t"; 4]);
}

#[test]
fn core_and_the_exporter_verify_their_database_by_the_authorities_they_are_given() {
    let identity = Identity::loopback().unwrap();
    let server = server("harbor", "core", Some(&identity));
    verifies::<Core>("core", ("POSTGRESQL", "DATABASE"), &server, &identity);
    verifies::<Exporter>("exporter", ("HARBOR_DATABASE", "DBNAME"), &server, &identity);
}

/// Whether a container connects to a server whose certificate only an authority in `certificateRefs` signed.
fn verifies<C: Component>(container: &str, variables: (&str, &str), server: &Postgres, identity: &Identity) {
    let case = pointed_at::<C>(server, "/spec/database", Some("verify-full"));
    let pod = case.with("corporate-ca", "ca.crt", &identity.authority).pod();
    let site = Site::new().unwrap();
    let trusted = site.write("ca.crt", pod.file(container, "/harbor_cust_cert/corporate-ca.crt")).unwrap();
    for connection in connections(&pod.environment(container), variables.0, variables.1) {
        let trust = [("PGSSLROOTCERT", trusted.to_str().unwrap())];
        assert_eq!(psql(&connection, &trust, WHO).unwrap(), "harbor|core|t", "{connection}");
        // What makes the difference is the authority, not the mode alone.
        let error = psql(&connection, &[("PGSSLROOTCERT", "/nonexistent")], WHO).unwrap_err().to_string();
        assert!(error.contains("root certificate file \"/nonexistent\" does not exist"), "{error}");
    }
}

#[test]
fn notary_reaches_its_databases() {
    let server = server("notary@example", "notary/server", None);
    let notary = pointed_at::<NotaryServer>(&server, "/spec/storage/postgres", Some("disable"));
    let reached = "notary@example|notary/server|f";
    assert_reaches(&notary, "notaryserver", "/etc/notary-server/server.json", reached);

    let server = self::server("notary", "notarysigner", None);
    let notary = pointed_at::<NotarySigner>(&server, "/spec/storage/postgres", Some("disable"));
    assert_reaches(&notary, "notarysigner", "/etc/notary-signer/signer.json", "notary|notarysigner|f");
}

/// Both URLs lead there: the one of the program, and the one of its migration.
fn assert_reaches<C: Component>(case: &Case<C>, container: &str, file: &str, reached: &str) {
    let pod = case.pod();
    let settings: Value = serde_json::from_str(&pod.file(container, file)).unwrap();
    let url = settings["storage"]["db_url"].as_str().unwrap();
    assert_eq!(psql(url, &[], WHO).unwrap(), reached, "{url}");
    assert_eq!(pod.environment(container)["DB_URL"], url);
}

/// A server with a user and a database.
fn server(user: &str, database: &str, tls: Option<&Identity>) -> Postgres {
    let server = Postgres::start(PASSWORD, tls).unwrap();
    let connection = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port());
    let password = PASSWORD.replace('\'', "''");
    for statement in [
        format!("CREATE ROLE \"{user}\" LOGIN PASSWORD '{password}'"),
        format!("CREATE DATABASE \"{database}\" OWNER \"{user}\""),
    ] {
        psql(&connection, &[("PGPASSWORD", PASSWORD)], &statement).unwrap();
    }
    server
}

/// The fullest case, whose spec describes a database at `field`, with that database on a server.
fn pointed_at<C: Component>(server: &Postgres, field: &str, ssl_mode: Option<&str>) -> Case<C> {
    let hosts = json!([{ "host": "127.0.0.1", "port": server.port() }]);
    let parameters = ssl_mode.map_or_else(|| json!({}), |mode| json!({"sslmode": mode}));
    Case::golden("full")
        .set(&format!("{field}/hosts"), hosts)
        .set(&format!("{field}/parameters"), parameters)
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
