//! Why there is no connection to a cluster, in words: each cause has its own, and its own remedy.

use crate::run::{Folder, Ran, failed};
use jiff::Timestamp;
use pki::{Algorithm, Authority, Encoding, Issued, KeySpec, Purpose, Request};
use rustls::{
    ServerConfig, ServerConnection,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

const TOKEN: &str = "a-token-to-keep";

/// A kubeconfig for a server, with more lines for its cluster and for its user.
fn kubeconfig(server: &str, cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: it\n\
         contexts: [{{name: it, context: {{cluster: it, user: it}}}}]\n\
         clusters:\n- name: it\n  cluster:\n    server: {server}\n{cluster}\
         users:\n- name: it\n  user:\n{user}"
    )
}

/// What `status` says with such a kubeconfig.
fn status(kubeconfig: &str) -> Ran {
    let folder = Folder::empty();
    let ran = folder.file("config", kubeconfig).run("status --kubeconfig config");
    assert!(!ran.stderr.contains(TOKEN), "it prints the token");
    ran
}

fn with_token(server: &str) -> Ran {
    status(&kubeconfig(server, "", &format!("    token: {TOKEN}\n")))
}

/// A server that gives every request the same answer.
fn answering(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut request = [0; 4096];
            let _read = connection.read(&mut request).unwrap();
            connection.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn a_missing_kubeconfig_is_named() {
    let folder = Folder::empty();
    let output = folder
        .command("status")
        .env("KUBECONFIG", "/does/not/exist")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .output()
        .unwrap();
    let expected = "error: no cluster: /does/not/exist does not exist, and this process is not in a pod; \
                    set KUBECONFIG to the kubeconfig of a cluster\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_kubeconfig_that_cannot_be_read_is_named() {
    let folder = Folder::empty();
    folder.file("config/file", "");
    for (path, problem) in
        [("config", "is a directory; name a file"), ("/does/not/exist", "does not exist; correct the path")]
    {
        let expected = format!("error: --kubeconfig: {path}: {problem}\n");
        assert_eq!(folder.run(&format!("status --kubeconfig {path}")), failed(&expected));
    }
}

#[test]
fn a_kubeconfig_that_is_no_yaml_is_not_quoted() {
    let ran = status(&format!("users:\n- name: it\n  user: [token: {TOKEN}\n"));
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.starts_with("error: kubeconfig: is not a valid kubeconfig at line "),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.ends_with("; correct the file\n") && ran.stderr.lines().count() == 1,
        "{}",
        ran.stderr
    );
}

#[test]
fn a_context_that_does_not_exist_is_named() {
    let folder = Folder::empty();
    folder.file("config", &kubeconfig("https://127.0.0.1:1", "", "    token: x\n"));
    let expected =
        "error: kubeconfig: has no context \"other\"; `kubectl config get-contexts` lists those it has\n";
    assert_eq!(folder.run("status --kubeconfig config --context other"), failed(expected));
}

#[test]
fn a_token_that_cannot_be_sent_is_refused_without_a_dump() {
    for (token, problem) in [
        ("\"\"", "is empty"),
        (
            "\"a-token-to-keep\\n\"",
            "contains a space, a line break or another character that a token cannot have",
        ),
    ] {
        let ran = status(&kubeconfig("https://127.0.0.1:1", "", &format!("    token: {token}\n")));
        let expected = format!(
            "error: kubeconfig: the token of its user {problem}; \
             log in again, or name a kubeconfig whose user has a token\n"
        );
        assert_eq!(ran, failed(&expected));
    }
}

#[test]
fn a_token_file_that_is_missing_is_named() {
    let ran = status(&kubeconfig("https://127.0.0.1:1", "", "    tokenFile: /does/not/exist\n"));
    assert_eq!(ran, failed("error: /does/not/exist: does not exist; correct the path in the kubeconfig\n"));
}

#[test]
fn a_failed_command_for_credentials_is_reported_without_its_output() {
    let user = format!(
        "    exec: {{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh, \
         args: [-c, 'echo {TOKEN}; exit 3']}}\n"
    );
    let expected = "error: kubeconfig: the command for credentials (exec) failed (exit status: 3); \
                    run that command in a terminal to see why\n";
    assert_eq!(status(&kubeconfig("https://127.0.0.1:1", "", &user)), failed(expected));
}

#[test]
fn a_refused_connection_is_called_that() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = format!("https://{unused}");
    let expected = format!(
        "error: {server}: the connection was refused, nothing listens there; \
         check that the API server runs, and its port\n"
    );
    assert_eq!(with_token(&server), failed(&expected));
}

#[test]
fn a_host_without_an_address_is_called_that() {
    let expected = "error: https://harbor.invalid:6443: its host name cannot be resolved; \
                    check the name, and that DNS works\n";
    assert_eq!(with_token("https://harbor.invalid:6443"), failed(expected));
}

#[test]
fn an_answer_of_401_is_about_credentials() {
    let body = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
                {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\
                \"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}";
    let server = format!("http://{}", answering(body));
    let expected = format!(
        "error: {server}: does not accept the credentials (401 Unauthorized); \
         log in again, or name a kubeconfig whose token or certificate is valid\n"
    );
    assert_eq!(with_token(&server), failed(&expected));
}

#[test]
fn an_answer_of_403_names_the_user_and_the_role() {
    let body = "HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
                {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\
                \"forbidden: User \\\"jane\\\" cannot get path \\\"/version\\\"\",\"reason\":\"Forbidden\",\
                \"details\":{},\"code\":403}";
    let server = format!("http://{}", answering(body));
    let expected = format!(
        "error: {server}: does not allow the user \"jane\" to read /version (403 Forbidden); \
         bind the ClusterRole system:public-info-viewer to that user, or use another user\n"
    );
    assert_eq!(with_token(&server), failed(&expected));
}

#[test]
fn a_web_server_is_not_taken_for_an_api_server() {
    let body = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>";
    let server = format!("http://{}", answering(body));
    let expected = format!(
        "error: {server}: is not a Kubernetes API server (its answer is not JSON); \
         check the server of the cluster in the kubeconfig\n"
    );
    assert_eq!(with_token(&server), failed(&expected));
}

#[test]
fn a_server_without_tls_is_called_that() {
    let server = format!("https://{}", answering("HTTP/1.1 400 Bad Request\r\n\r\n"));
    let expected =
        format!("error: {server}: it does not speak TLS; check the port, or use http:// instead\n");
    assert_eq!(with_token(&server), failed(&expected));
}

fn issue(subject: &str, dns_name: &str, purpose: Purpose, authority: &Authority) -> Issued {
    let request = Request {
        subject: subject.into(),
        dns_names: vec![dns_name.into()],
        ip_addresses: vec![],
        purpose,
        days: 1,
    };
    let key = KeySpec { algorithm: Algorithm::Ecdsa, encoding: Encoding::Pkcs8, size: 256 };
    request.issue(authority, pki::generate(key).unwrap(), [1; 16], Timestamp::now()).unwrap()
}

fn authority(subject: &str) -> Issued {
    issue(subject, subject, Purpose::Authority { only_for: None }, &Authority::Itself)
}

/// A server whose certificate is for `localhost`, by this authority.
fn with_tls(authority: &Issued) -> SocketAddr {
    let authority = Authority::from_pem(authority.chain.clone(), authority.key.clone()).unwrap();
    let leaf = issue("server", "localhost", Purpose::Leaf, &authority);
    let chain = CertificateDer::pem_slice_iter(leaf.chain.as_bytes()).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(leaf.key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
            // The client is the one that gives up.
            let _refused = tls.complete_io(&mut connection.unwrap());
        }
    });
    address
}

fn trusting(server: &str, authority: &Issued) -> Ran {
    let folder = Folder::empty();
    folder.file("authority.crt", &authority.chain);
    let trust = "    certificate-authority: authority.crt\n";
    let kubeconfig = kubeconfig(server, trust, &format!("    token: {TOKEN}\n"));
    folder.file("config", &kubeconfig).run("status --kubeconfig config")
}

#[test]
fn a_certificate_of_an_unknown_authority_is_called_that() {
    let server = format!("https://localhost:{}", with_tls(&authority("theirs")).port());
    let expected = format!(
        "error: {server}: its certificate is signed by an authority that is not trusted; \
         put the certificate of that authority into certificate-authority-data of the kubeconfig\n"
    );
    assert_eq!(trusting(&server, &authority("ours")), failed(&expected));
}

#[test]
fn a_certificate_for_another_name_is_called_that() {
    let authority = authority("theirs");
    let server = format!("https://{}", with_tls(&authority));
    let expected = format!(
        "error: {server}: its certificate is for another name or address; \
         use one of the names in the certificate, or set tls-server-name in the kubeconfig\n"
    );
    assert_eq!(trusting(&server, &authority), failed(&expected));
}

/// An HTTP proxy that connects to whatever it is asked for, and the heads of its requests.
fn proxy() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, heads) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
    let noted = Arc::clone(&heads);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut client = connection.unwrap();
            let lines = BufReader::new(client.try_clone().unwrap()).lines().map(Result::unwrap);
            let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let server = TcpStream::connect(head[0].split(' ').nth(1).unwrap()).unwrap();
            noted.lock().unwrap().push(head.join("\n"));
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            for (mut from, mut to) in
                [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
            {
                thread::spawn(move || {
                    // Either side may end the connection first.
                    let _copied = io::copy(&mut from, &mut to);
                    let _ended = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    (address, heads)
}

fn through(server: &str, proxy: &str) -> Ran {
    let cluster = format!("    proxy-url: {proxy}\n");
    status(&kubeconfig(server, &cluster, &format!("    token: {TOKEN}\n")))
}

#[test]
fn the_proxy_of_a_kubeconfig_is_asked_to_connect_with_its_password() {
    let server = with_tls(&authority("theirs"));
    let (proxy, heads) = proxy();
    let ran = through(&format!("https://{server}"), &format!("http://jane:{TOKEN}@{proxy}"));
    // The handshake with the server has failed: it went through.
    let expected = format!(
        "error: https://{server} through the proxy http://{proxy}: its certificate is signed by an authority that is not \
         trusted; put the certificate of that authority into certificate-authority-data of the kubeconfig\n"
    );
    assert_eq!(ran, failed(&expected));
    let head = format!(
        "CONNECT {server} HTTP/1.1\nHost: {server}\nProxy-Authorization: Basic amFuZTphLXRva2VuLXRvLWtlZXA="
    );
    assert_eq!(*heads.lock().unwrap(), [head]);
}

#[test]
fn what_keeps_a_proxy_from_connecting_is_named() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let asking = answering("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    let refusing = answering("HTTP/1.1 403 Forbidden\r\n\r\n");
    for (proxy, problem) in [
        (
            unused,
            "the proxy cannot be reached (Connection refused (os error 111)); check HTTPS_PROXY, or proxy-url of the \
             kubeconfig; NO_PROXY names hosts without a proxy",
        ),
        (
            asking,
            "the proxy asks for a user and a password; write them into its URL, as in http://USER:PASSWORD@HOST:PORT",
        ),
        (
            refusing,
            "the proxy does not connect to the server; check that it permits CONNECT to this host and port, or add the host \
             to NO_PROXY",
        ),
    ] {
        let server = "https://api.example.com:6443";
        let expected = format!("error: {server} through the proxy http://{proxy}: {problem}\n");
        assert_eq!(through(server, &format!("http://{proxy}")), failed(&expected));
    }
    let expected = "error: kubeconfig: it or HTTPS_PROXY names a proxy that is not an HTTP proxy; \
                    name one as http://HOST:PORT, or add the host of the server to NO_PROXY\n";
    assert_eq!(through("https://api.example.com:6443", "socks5://127.0.0.1:1080"), failed(expected));
}

#[test]
fn a_proxy_of_the_environment_is_not_used_for_this_machine_and_for_hosts_in_no_proxy() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = |server: &str, no_proxy: &str| {
        let folder = Folder::empty();
        folder.file("config", &kubeconfig(server, "", &format!("    token: {TOKEN}\n")));
        let mut command = folder.command("status --kubeconfig config");
        command.env("HTTPS_PROXY", format!("http://{unused}")).env("NO_PROXY", no_proxy);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let server = format!("https://{}", with_tls(&authority("theirs")));
    let direct = format!("error: {server}: its certificate is signed by an authority that is not trusted; ");
    assert!(ran(&server, "").starts_with(&direct), "{}", ran(&server, ""));
    let server = "https://harbor.invalid:6443";
    let direct =
        format!("error: {server}: its host name cannot be resolved; check the name, and that DNS works\n");
    assert_eq!(ran(server, "example.com, .invalid"), direct);
    let proxied = format!("error: {server} through the proxy http://{unused}: the proxy cannot be reached ");
    assert!(ran(server, "example.com").starts_with(&proxied), "{}", ran(server, "example.com"));
}
