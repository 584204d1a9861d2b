//! A user of Redis with two passwords, as `docs/rotation.md` has users change one: components with either of them get in.

use crate::{cases::Case, redis::reached};
use components::{core::Core, jobservice::JobService};
use plan::Component;
use programs::{Redis, redis};
use serde_json::json;
use std::{fs, path::Path};

const BEFORE: &str = "the-one-before";
const NEW: &str = "the-new-one";

/// The commands that the page has users type, without `redis-cli` and its options, in order.
fn commands() -> Vec<Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rotation.md");
    let text = fs::read_to_string(page).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once("--askpass ACL SETUSER"));
    let words = |(_, rest): (&str, &str)| {
        let words = rest.split_whitespace().map(|word| word.trim_matches('\'').to_owned());
        ["ACL", "SETUSER"].into_iter().map(str::to_owned).chain(words).collect()
    };
    lines.map(words).collect()
}

/// The URL with which a component starts that has this password.
fn url<C: Component>(
    connection: &str,
    container: &str,
    variable: &str,
    server: &Redis,
    password: &str,
) -> String {
    let fields = json!({
        "host": "127.0.0.1", "port": server.port(), "username": "harbor", "sentinels": [],
        "passwordRef": "redis", "sentinelMasterSet": null, "certificateRef": null,
    });
    let case = Case::<C>::golden("full").annotated(api::names::VERSION_ANNOTATION, "2.15.0");
    let case = fields
        .as_object()
        .unwrap()
        .iter()
        .fold(case, |case, (field, value)| case.set(&format!("{connection}/{field}"), value.clone()));
    case.with("redis", "redis-password", password).pod().environment(container)[variable].clone()
}

#[test]
fn the_commands_on_the_page_keep_components_with_either_password_connected_until_the_end() {
    let [add, remove] = commands().try_into().unwrap();
    assert_eq!((add[3].as_str(), remove[3].as_str()), (">the-new-one", "<the-one-before"));
    let setup = redis::Setup { username: Some("harbor"), password: Some(BEFORE), ..redis::Setup::default() };
    let server = Redis::start(&setup).unwrap();
    let with = |password| redis::Connection {
        username: Some("harbor"),
        password: Some(password),
        ..server.connection()
    };
    let type_it = |password, command: &[String]| {
        let words: Vec<_> = command.iter().map(String::as_str).collect();
        assert_eq!(with(password).ask(&words).unwrap(), "OK", "{words:?}");
    };
    let of = |password: &str| {
        [
            url::<Core>("/spec/redis", "core", "_REDIS_URL_CORE", &server, password),
            url::<JobService>(
                "/spec/workerPool/redisPool",
                "jobservice",
                "JOB_SERVICE_POOL_REDIS_URL",
                &server,
                password,
            ),
        ]
    };
    let get_in = |password: &str| of(password).iter().all(|url| reached(url, None).0 == "harbor");
    assert!(get_in(BEFORE));
    assert!(with(NEW).ask(&["PING"]).is_err());

    type_it(BEFORE, &add);
    assert!(get_in(BEFORE) && get_in(NEW), "while components restart");
    type_it(NEW, &remove);
    assert!(get_in(NEW));
    assert!(with(BEFORE).ask(&["PING"]).is_err(), "only the new one is left");
}

/// What a Redis of another operator does, such as that of a HarborCluster.
#[test]
fn also_a_redis_with_one_password_may_get_a_second_one_for_a_while() {
    let server = Redis::start(&redis::Setup { password: Some(BEFORE), ..redis::Setup::default() }).unwrap();
    let with = |password| redis::Connection { password: Some(password), ..server.connection() };
    with(BEFORE).ask(&["CONFIG", "SET", "requirepass", BEFORE]).unwrap();
    with(BEFORE).ask(&["ACL", "SETUSER", "default", &format!(">{NEW}")]).unwrap();
    assert!([BEFORE, NEW].iter().all(|password| with(password).ask(&["PING"]).unwrap() == "PONG"));
    // The operator of that Redis changes its one password.
    with(BEFORE).ask(&["CONFIG", "SET", "requirepass", NEW]).unwrap();
    assert_eq!(with(NEW).ask(&["PING"]).unwrap(), "PONG");
    assert!(with(BEFORE).ask(&["PING"]).is_err());
}
