//! Tests of the harness: every program starts, answers and refuses, and leaves nothing behind.

#![allow(clippy::unwrap_used, reason = "a program that does not start fails the test")]

use http::{Request, StatusCode};
use programs::{
    Client, Failure, Identity, Nginx, Port, Postgres, Redis, Registry, Site, openssl, psql, redis,
};
use std::{
    any::Any,
    fs,
    io::{BufRead as _, BufReader},
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Characters with a special meaning in a URL, a shell, a configuration file or a connection string.
const PASSWORD: &str = r#"p@ss/w:rd#1%20?&=+$'"\ ß"#;

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[test]
fn a_registry_serves() {
    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    let configuration =
        format!("version: 0.1\nstorage: {{inmemory: {{}}}}\nhttp: {{addr: '127.0.0.1:{}'}}\n", port.number());
    let registry = Registry::start(site, port, &configuration, &[]).unwrap();
    let answer = Client::http(loopback(registry.port())).get("/v2/").unwrap();
    assert_eq!((answer.status(), &answer.body()[..]), (StatusCode::OK, &b"{}"[..]));
}

#[test]
fn a_registry_that_cannot_start_says_why() {
    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    let folder = site.folder().to_owned();
    let error = Registry::start(site, port, "version: 0.1\nstorage: {floppy: {}}\n", &[]).unwrap_err();
    assert!(matches!(error, Failure::Exited { .. }), "{error}");
    assert!(error.to_string().contains("docker-registry ended with status 2; it said:\n"), "{error}");
    assert!(error.to_string().contains("StorageDriver not registered: floppy"), "{error}");
    assert!(!folder.exists());
}

#[test]
fn a_registry_reads_its_environment() {
    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    let address = format!("127.0.0.1:{}", port.number());
    let configuration = "version: 0.1\nstorage: {inmemory: {}}\nhttp: {addr: '127.0.0.1:1'}\n";
    Registry::start(site, port, configuration, &[("REGISTRY_HTTP_ADDR", &address)]).unwrap();
}

/// A configuration that does not use the system's folders.
fn nginx_configuration(servers: &str) -> String {
    format!(
        "pid nginx.pid;\nevents {{}}\nhttp {{\n  include mime.types;\n  access_log off;\n  \
         client_body_temp_path body;\n  proxy_temp_path proxy;\n  fastcgi_temp_path fastcgi;\n  \
         uwsgi_temp_path uwsgi;\n  scgi_temp_path scgi;\n{servers}}}\n"
    )
}

#[test]
fn nginx_serves_a_page_with_its_media_type_over_http_and_https() {
    let (site, plain, tls) = (Site::new().unwrap(), Port::free().unwrap(), Port::free().unwrap());
    let identity = Identity::loopback().unwrap();
    site.write("tls.crt", &identity.certificate).unwrap();
    site.write("tls.key", &identity.key).unwrap();
    site.write("html/harbor.svg", "<svg/>").unwrap();
    let configuration = nginx_configuration(&format!(
        "  server {{\n    listen 127.0.0.1:{};\n    listen 127.0.0.1:{} ssl;\n    ssl_certificate tls.crt;\n    \
         ssl_certificate_key tls.key;\n    root html;\n  }}\n",
        plain.number(),
        tls.number()
    ));
    Nginx::check(&site, &configuration).unwrap();

    let nginx = Nginx::start(site, vec![plain, tls], &configuration).unwrap();
    let ports: Vec<u16> = nginx.ports().collect();
    for client in [
        Client::http(loopback(ports[0])),
        Client::https(loopback(ports[1]), &identity.authority, "localhost"),
    ] {
        let answer = client.get("/harbor.svg").unwrap();
        assert_eq!((answer.status(), &answer.body()[..]), (StatusCode::OK, &b"<svg/>"[..]));
        assert_eq!(answer.headers()["content-type"], "image/svg+xml");
    }
    let stranger = Identity::loopback().unwrap();
    let error = Client::https(loopback(ports[1]), &stranger.authority, "localhost").get("/").unwrap_err();
    assert!(error.to_string().contains("invalid peer certificate"), "{error}");
}

#[test]
fn nginx_refuses_a_wrong_configuration_with_its_own_words() {
    let site = Site::new().unwrap();
    let error = Nginx::check(&site, &nginx_configuration("  sever {}\n")).unwrap_err();
    assert!(matches!(error, Failure::Refused { .. }), "{error}");
    assert!(error.to_string().contains("unknown directive \"sever\""), "{error}");
}

#[test]
fn redis_asks_for_its_password() {
    let server = Redis::start(&redis::Setup { password: Some(PASSWORD), ..redis::Setup::default() }).unwrap();
    let stranger = server.connection();
    let friend = redis::Connection { password: Some(PASSWORD), database: 3, ..stranger };
    assert_eq!(friend.ask(&["PING"]).unwrap(), "PONG");
    assert!(stranger.ask(&["PING"]).unwrap_err().to_string().contains("NOAUTH"));
    let liar = redis::Connection { password: Some("guess"), ..stranger };
    assert!(liar.ask(&["PING"]).unwrap_err().to_string().contains("WRONGPASS"));
    let lost = redis::Connection { database: 99, ..friend };
    assert!(lost.ask(&["PING"]).unwrap_err().to_string().contains("out of range"));
}

#[test]
fn redis_asks_for_its_user() {
    let setup = redis::Setup { username: Some("harbor"), password: Some(PASSWORD), tls: None };
    let server = Redis::start(&setup).unwrap();
    let default_user = redis::Connection { password: Some(PASSWORD), ..server.connection() };
    let user = redis::Connection { username: Some("harbor"), ..default_user };
    assert_eq!(user.ask(&["ACL", "WHOAMI"]).unwrap(), "harbor");
    assert!(default_user.ask(&["PING"]).unwrap_err().to_string().contains("WRONGPASS"));
}

#[test]
fn redis_speaks_tls_and_nothing_else() {
    let (site, identity) = (Site::new().unwrap(), Identity::loopback().unwrap());
    let authority = site.write("ca.crt", &identity.authority).unwrap();
    let setup = redis::Setup { password: Some(PASSWORD), tls: Some(&identity), username: None };
    let server = Redis::start(&setup).unwrap();
    let plain = redis::Connection { password: Some(PASSWORD), ..server.connection() };
    let tls = redis::Connection { authority: Some(&authority), ..plain };
    assert_eq!(tls.ask(&["PING"]).unwrap(), "PONG");
    assert!(plain.ask(&["PING"]).is_err());

    let stranger = site.write("stranger.crt", Identity::loopback().unwrap().authority).unwrap();
    let suspicious = redis::Connection { authority: Some(&stranger), ..tls };
    assert!(suspicious.ask(&["PING"]).unwrap_err().to_string().contains("certificate verify failed"));
}

#[test]
fn a_sentinel_tells_the_master() {
    let setup = redis::Setup { password: Some(PASSWORD), ..redis::Setup::default() };
    let master = Redis::start(&setup).unwrap();
    let sentinel = Redis::sentinel(&setup, &master, "mymaster").unwrap();
    let answer = sentinel.connection().ask(&["SENTINEL", "get-master-addr-by-name", "mymaster"]).unwrap();
    assert_eq!(answer, format!("127.0.0.1\n{}", master.port()));
}

#[test]
fn postgres_asks_for_its_password() {
    let server = Postgres::start(PASSWORD, None).unwrap();
    let connection = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port());
    assert_eq!(psql(&connection, &[("PGPASSWORD", PASSWORD)], "SELECT 1").unwrap(), "1");
    let error = psql(&connection, &[("PGPASSWORD", "guess")], "SELECT 1").unwrap_err();
    assert!(error.to_string().contains("password authentication failed"), "{error}");
    let error = psql(&connection, &[("PGPASSWORD", PASSWORD)], "SELECT nothing").unwrap_err();
    assert!(error.to_string().contains("column \"nothing\" does not exist"), "{error}");
    let error = psql(&format!("{connection} sslmode=require"), &[("PGPASSWORD", PASSWORD)], "SELECT 1");
    assert!(error.unwrap_err().to_string().contains("server does not support SSL"));
}

#[test]
fn postgres_proves_who_it_is() {
    let (site, identity) = (Site::new().unwrap(), Identity::loopback().unwrap());
    let authority = site.write("ca.crt", &identity.authority).unwrap();
    let server = Postgres::start(PASSWORD, Some(&identity)).unwrap();
    let connection = format!(
        "host=127.0.0.1 port={} user=postgres dbname=postgres sslmode=verify-full sslrootcert={}",
        server.port(),
        authority.display()
    );
    let encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert_eq!(psql(&connection, &[("PGPASSWORD", PASSWORD)], encrypted).unwrap(), "t");

    site.write("ca.crt", Identity::loopback().unwrap().authority).unwrap();
    let error = psql(&connection, &[("PGPASSWORD", PASSWORD)], encrypted).unwrap_err();
    assert!(error.to_string().contains("SSL error"), "{error}");
}

#[test]
fn openssl_judges_certificates() {
    let (site, identity) = (Site::new().unwrap(), Identity::loopback().unwrap());
    let authority = site.write("ca.crt", &identity.authority).unwrap();
    let certificate = site.write("tls.crt", &identity.certificate).unwrap();
    let verify =
        |authority: &Path| openssl([Path::new("verify"), Path::new("-CAfile"), authority, &certificate]);
    assert_eq!(verify(&authority).unwrap(), format!("{}: OK\n", certificate.display()));

    let stranger = site.write("stranger.crt", Identity::loopback().unwrap().authority).unwrap();
    assert!(verify(&stranger).unwrap_err().to_string().contains("verification failed"));
}

#[test]
fn a_request_that_gets_no_answer_says_where_it_went() {
    let port = Port::free().unwrap();
    let request = Request::delete("/v2/").body(bytes::Bytes::new()).unwrap();
    let error = Client::http(loopback(port.number())).send(request).unwrap_err().to_string();
    assert!(error.starts_with(&format!("DELETE http://127.0.0.1:{}/v2/: ", port.number())), "{error}");
}

#[test]
fn what_is_dropped_has_ended() {
    for (one, folder) in all_kinds() {
        assert_ne!(processes(&folder), Vec::<String>::new());
        drop(one);
        assert_eq!(processes(&folder), Vec::<String>::new());
        assert!(!Path::new(&folder).exists());
    }
}

#[test]
fn programs_of_a_killed_process_end() {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "holds_programs_until_killed", "--ignored", "--nocapture"])
        .env("PROGRAMS_VICTIM", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map_while(Result::ok);
    let folders: Vec<String> = lines
        .take_while(|line| line != "all run")
        .filter_map(|line| line.split_once("running in ").map(|(_, folder)| folder.to_owned()))
        .collect();
    assert_eq!(folders.len(), 4);

    victim.kill().unwrap();
    victim.wait().unwrap();

    let left = || {
        folders.iter().filter(|folder| Path::new(folder).exists() || !processes(folder).is_empty()).count()
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while left() > 0 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(), 0, "{folders:?}");
}

/// Run by the test above in a separate process.
#[test]
#[ignore = "started by programs_of_a_killed_process_end"]
fn holds_programs_until_killed() {
    if std::env::var_os("PROGRAMS_VICTIM").is_none() {
        return;
    }
    let all = all_kinds();
    for (_, folder) in &all {
        println!("\nrunning in {folder}");
    }
    println!("all run");
    thread::sleep(Duration::from_mins(5));
}

/// One server of each kind, with its folder.
fn all_kinds() -> Vec<(Box<dyn Any>, String)> {
    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    let configuration =
        format!("version: 0.1\nstorage: {{inmemory: {{}}}}\nhttp: {{addr: '127.0.0.1:{}'}}\n", port.number());
    let registry = Registry::start(site, port, &configuration, &[]).unwrap();

    let (site, port) = (Site::new().unwrap(), Port::free().unwrap());
    let servers = format!("  server {{ listen 127.0.0.1:{}; }}\n", port.number());
    let nginx = Nginx::start(site, vec![port], &nginx_configuration(&servers)).unwrap();

    let redis = Redis::start(&redis::Setup::default()).unwrap();
    let postgres = Postgres::start(PASSWORD, None).unwrap();
    let folder = |path: &Path| path.display().to_string();
    let folders = [registry.folder(), nginx.folder(), redis.folder(), postgres.folder()].map(folder);
    let servers: [Box<dyn Any>; 4] =
        [Box::new(registry), Box::new(nginx), Box::new(redis), Box::new(postgres)];
    servers.into_iter().zip(folders).collect()
}

/// The command lines of all running processes that were started in the folder. A zombie has no folder.
fn processes(folder: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder)))
        .filter_map(|process| fs::read(process.join("cmdline")).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .collect()
}
