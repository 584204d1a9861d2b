//! Redis URLs reach the Redis they describe.
//!
//! Harbor's programs read them with Go's `net/url` and speak to Redis with redigo or go-redis: user and password are
//! decoded, the path is the database, or the master set and the database, and sentinels are asked one after the other,
//! without a password.

use crate::cases::{CERTIFICATE, Case};
use api::names::VERSION_ANNOTATION;
use components::{core::Core, exporter::Exporter, jobservice::JobService, trivy::Trivy};
use plan::Component;
use programs::{Identity, Port, Redis, Site, redis};
use serde_json::{Value, json};
use std::path::Path;

/// Everything that means something in a URL or a configuration file, and something that is not ASCII.
const PASSWORD: &str = r#"p@ss/w:rd#1%20?&=+$'"\ [ß]"#;

#[test]
fn core_reaches_its_databases() {
    Program {
        case: "full",
        connections: &["/spec/redis", "/spec/components/registry/redis"],
        container: "core",
        variables: &[("_REDIS_URL_CORE", 0), ("_REDIS_URL_REG", 1)],
    }
    .reaches_redis_in_every_way::<Core>();
}

#[test]
fn jobservice_reaches_its_queue() {
    Program {
        case: "full",
        connections: &["/spec/workerPool/redisPool"],
        container: "jobservice",
        variables: &[("JOB_SERVICE_POOL_REDIS_URL", 2)],
    }
    .reaches_redis_in_every_way::<JobService>();
}

#[test]
fn the_exporter_reaches_the_queue() {
    Program {
        case: "full",
        connections: &["/spec/jobservice/redisPool"],
        container: "exporter",
        variables: &[("HARBOR_REDIS_URL", 2)],
    }
    .reaches_redis_in_every_way::<Exporter>();
}

#[test]
fn trivy_reaches_its_database() {
    Program {
        case: "full",
        connections: &["/spec/redis"],
        container: "trivy",
        variables: &[
            ("SCANNER_REDIS_URL", 5),
            ("SCANNER_STORE_REDIS_URL", 5),
            ("SCANNER_JOB_QUEUE_REDIS_URL", 5),
        ],
    }
    .reaches_redis_in_every_way::<Trivy>();
}

/// A program of Harbor that uses Redis.
struct Program {
    case: &'static str,
    /// Where its spec describes a connection.
    connections: &'static [&'static str],
    container: &'static str,
    /// The variables that hold URLs, with the database each should lead to.
    variables: &'static [(&'static str, u32)],
}

impl Program {
    fn reaches_redis_in_every_way<C: Component>(&self) {
        let setup = redis::Setup { password: Some(PASSWORD), ..redis::Setup::default() };
        let address = |server: &Redis| json!({ "host": "127.0.0.1", "port": server.port() });

        let server = Redis::start(&setup).unwrap();
        self.reaches::<C>(address(&server), "default", None);

        let server = Redis::start(&redis::Setup { username: Some("harbor@1"), ..setup }).unwrap();
        self.reaches::<C>(with(address(&server), json!({ "username": "harbor@1" })), "harbor@1", None);

        let master = Redis::start(&setup).unwrap();
        let (dead, sentinel) = (Port::free().unwrap(), Redis::sentinel(&setup, &master, "harbor").unwrap());
        let sentinels = json!({
            "host": "127.0.0.1", "port": dead.number(), "sentinels": [address(&sentinel)],
            "sentinelMasterSet": "harbor",
        });
        self.reaches::<C>(sentinels, "default", None);

        let (site, identity) = (Site::new().unwrap(), Identity::loopback().unwrap());
        let authority = site.write("ca.crt", &identity.authority).unwrap();
        let tls = redis::Setup { tls: Some(&identity), ..setup };
        let master = Redis::start(&tls).unwrap();
        let trusting = json!({ "certificateRef": "redis-of-the-test" });
        self.reaches::<C>(with(address(&master), trusting.clone()), "default", Some(&authority));

        let sentinel = Redis::sentinel(&tls, &master, "harbor").unwrap();
        let sentinel = with(address(&sentinel), json!({ "sentinelMasterSet": "harbor" }));
        self.reaches::<C>(with(sentinel, trusting), "default", Some(&authority));
    }

    /// Connects to every URL that is rendered for a connection with this description.
    fn reaches<C: Component>(&self, connection: Value, user: &str, authority: Option<&Path>) {
        let nothing = ["username", "sentinelMasterSet", "certificateRef"].map(|field| (field, Value::Null));
        let connection = with(json!({ "sentinels": [], "passwordRef": "redis-of-the-test" }), connection);
        let connection = with(nothing.into_iter().collect(), connection);
        let case = Case::<C>::golden(self.case).annotated(VERSION_ANNOTATION, "2.15.0");
        let mut case = self.connections.iter().fold(case, |case, place| {
            let fields = connection.as_object().unwrap().iter();
            fields.fold(case, |case, (field, value)| case.set(&format!("{place}/{field}"), value.clone()))
        });
        case.inputs.push(json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": "redis-of-the-test", "namespace": "registry" },
        }));
        let case = case.with("redis-of-the-test", "redis-password", PASSWORD);
        // Another test checks its content.
        let case = case.with("redis-of-the-test", "ca.crt", CERTIFICATE);

        let environment = case.pod().environment(self.container);
        for (variable, database) in self.variables {
            let url = &environment[*variable];
            assert_eq!(reached(url, authority), (user.to_owned(), *database), "{variable}={url}");
        }
    }
}

fn with(mut connection: Value, more: Value) -> Value {
    connection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    connection
}

/// The user and the database of the connection that a program of Harbor opens to a URL.
pub fn reached(url: &str, authority: Option<&Path>) -> (String, u32) {
    let target = Target::of(url);
    assert_eq!(target.tls, authority.is_some(), "{url}");
    let reach = |(host, port)| redis::Connection { host, port, authority, ..redis::Connection::default() };
    let mut addresses = target.addresses.iter().map(|(host, port)| (&**host, *port));
    let answer = target.master_set.as_ref().map(|set| {
        let ask = |address| reach(address).ask(&["SENTINEL", "get-master-addr-by-name", set]).ok();
        addresses.find_map(ask).unwrap()
    });
    let master = match &answer {
        Some(answer) => answer.split_once('\n').map(|(host, port)| (host, port.parse().unwrap())),
        None => addresses.next(),
    };
    let connection = redis::Connection {
        username: target.username.as_deref(),
        password: target.password.as_deref(),
        database: target.database,
        ..reach(master.unwrap())
    };
    let client = connection.ask(&["CLIENT", "INFO"]).unwrap();
    let field = |name: &str| client.split(' ').find_map(|field| field.strip_prefix(name)).unwrap();
    (field("user=").to_owned(), field("db=").parse().unwrap())
}

/// Where a URL leads.
struct Target {
    tls: bool,
    username: Option<String>,
    password: Option<String>,
    addresses: Vec<(String, u16)>,
    master_set: Option<String>,
    database: u32,
}

impl Target {
    fn of(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (tls, is_sentinel) = match scheme {
            "redis" => (false, false),
            "rediss" => (true, false),
            "redis+sentinel" => (false, true),
            "rediss+sentinel" => (true, true),
            _ => panic!("Harbor does not know {scheme}"),
        };
        let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
        let (authority, path) = rest.split_once('/').unwrap();
        let (user, addresses) = authority.rsplit_once('@').unwrap_or((":", authority));
        let (username, password) = user.split_once(':').unwrap();
        let said = |text: &str| Some(decoded(text)).filter(|text| !text.is_empty());
        let (master_set, database) = match path.split_once('/') {
            Some((set, database)) if is_sentinel => (Some(decoded(set)), database),
            None if !is_sentinel => (None, path),
            _ => panic!("Harbor cannot read the path of {url}"),
        };
        let address = |address: &str| {
            let (host, port) = address.rsplit_once(':').unwrap();
            (host.to_owned(), port.parse().unwrap())
        };
        Self {
            tls,
            username: said(username),
            password: said(password),
            addresses: addresses.split(',').map(address).collect(),
            master_set,
            database: database.parse().unwrap(),
        }
    }
}

/// As Go decodes the user information of a URL: a plus sign is a plus sign.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).unwrap()
}
