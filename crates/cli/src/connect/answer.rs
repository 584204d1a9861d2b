//! Why a request to the API server failed.

use super::{TIMEOUT, credentials, kubeconfig, problem};
use kube::client::AuthError;
use plan::Violation;
use rustls::CertificateError;
use std::{error::Error, io};

/// The configuration is not usable for a client.
pub fn unusable(error: kube::Error) -> Violation {
    match error {
        kube::Error::Auth(error) => credentials::unusable(&error),
        kube::Error::InferKubeconfig(error) => kubeconfig::unusable(error),
        kube::Error::ProxyProtocolUnsupported { .. } | kube::Error::ProxyProtocolDisabled { .. } => problem(
            kubeconfig::SUBJECT,
            "it or HTTPS_PROXY names a proxy that is not an HTTP proxy",
            "name one as http://HOST:PORT, or add the host of the server to NO_PROXY",
        ),
        kube::Error::RustlsTls(error) => problem(
            kubeconfig::SUBJECT,
            format!("its certificates or keys cannot be used ({error})"),
            "check certificate-authority, client-certificate and client-key",
        ),
        _ => problem(kubeconfig::SUBJECT, "cannot be used", "check the user and the cluster of its context"),
    }
}

/// The server took too long.
pub fn late(server: &str) -> Violation {
    let within = TIMEOUT.as_secs();
    problem(
        server,
        format!("did not answer within {within} s"),
        "check the address, and that no firewall is in between",
    )
}

/// The first request has failed.
pub fn refused(server: &str, error: &kube::Error) -> Violation {
    match error {
        kube::Error::Api(status) => answered(server, status.code, &status.message),
        error => unanswered(server, error),
    }
}

/// A request has no answer, or one that cannot be decoded.
pub fn unanswered(server: &str, error: &kube::Error) -> Violation {
    match error {
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
            not_kubernetes(server, "its answer is not JSON")
        }
        kube::Error::Auth(error) => credentials::unusable(error),
        kube::Error::Service(error) => unreached(server, error.as_ref()),
        kube::Error::HyperError(error) => unreached(server, error),
        _ => not_kubernetes(server, "its answer is not valid"),
    }
}

/// The server does not know the user.
pub fn unauthenticated(server: &str) -> Violation {
    problem(
        server,
        "does not accept the credentials (401 Unauthorized)",
        "log in again, or name a kubeconfig whose token or certificate is valid",
    )
}

fn answered(server: &str, code: u16, message: &str) -> Violation {
    match code {
        401 => unauthenticated(server),
        403 => {
            let user = message.split('"').skip_while(|part| !part.ends_with("User ")).nth(1);
            let user = user.map_or_else(|| "this user".into(), |user| format!("the user {user:?}"));
            problem(
                server,
                format!("does not allow {user} to read /version (403 Forbidden)"),
                "bind the ClusterRole system:public-info-viewer to that user, or use another user",
            )
        }
        500.. => problem(
            server,
            format!("answered with status {code}"),
            "wait until it has started, or check its log",
        ),
        _ => not_kubernetes(server, &format!("it answered with status {code}")),
    }
}

fn not_kubernetes(server: &str, why: &str) -> Violation {
    let what = format!("is not a Kubernetes API server ({why})");
    problem(server, what, "check the server of the cluster in the kubeconfig")
}

/// Finds the most specific cause in the chain of errors.
fn unreached(server: &str, error: &(dyn Error + 'static)) -> Violation {
    let chain: Vec<_> = causes(error).collect();
    let found = chain.iter().enumerate().find_map(|(at, cause)| {
        let by_proxy = || untunnelled(server, &cause.to_string(), chain.get(at + 1..)?);
        let by_tls = || cause.downcast_ref().map(|error| insecure(server, error));
        let by_auth = || cause.downcast_ref::<AuthError>().map(credentials::unusable);
        by_tls().or_else(by_auth).or_else(by_proxy)
    });
    let unresolved = || {
        // The type of this error is private to the client.
        let dns = chain.iter().any(|cause| cause.to_string().starts_with("dns error"));
        dns.then(|| problem(server, "its host name cannot be resolved", "check the name, and that DNS works"))
    };
    let by_io =
        || chain.iter().find_map(|cause| unconnected(server, cause.downcast_ref::<io::Error>()?.kind()));
    found.or_else(unresolved).or_else(by_io).unwrap_or_else(|| {
        let cause = chain.last().map_or_else(|| error.to_string(), ToString::to_string);
        problem(
            server,
            format!("cannot be reached ({cause})"),
            "check the address, and the log of the server",
        )
    })
}

/// The proxy makes no connection to the server. The type of this error is private to the client.
fn untunnelled(server: &str, words: &str, sources: &[&(dyn Error + 'static)]) -> Option<Violation> {
    let (what, remedy) = match words.strip_prefix("tunnel error: ")? {
        "proxy authorization required" => (
            "the proxy asks for a user and a password".to_owned(),
            "write them into its URL, as in http://USER:PASSWORD@HOST:PORT",
        ),
        "failed to create underlying connection" => {
            let cause = sources.last().map_or_else(|| words.to_owned(), ToString::to_string);
            let remedy =
                "check HTTPS_PROXY, or proxy-url of the kubeconfig; NO_PROXY names hosts without a proxy";
            (format!("the proxy cannot be reached ({cause})"), remedy)
        }
        _ => (
            "the proxy does not connect to the server".to_owned(),
            "check that it permits CONNECT to this host and port, or add the host to NO_PROXY",
        ),
    };
    Some(problem(server, what, remedy))
}

fn unconnected(server: &str, kind: io::ErrorKind) -> Option<Violation> {
    use io::ErrorKind as K;
    let (what, remedy) = match kind {
        K::ConnectionRefused => (
            "the connection was refused, nothing listens there",
            "check that the API server runs, and its port",
        ),
        K::TimedOut => return Some(late(server)),
        K::HostUnreachable | K::NetworkUnreachable => {
            ("there is no route to it", "check the address, and the network or VPN of this machine")
        }
        K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe | K::UnexpectedEof => (
            "it closed the connection",
            "check that the port is that of the API server, and that it speaks TLS",
        ),
        _ => return None,
    };
    Some(problem(server, what, remedy))
}

fn insecure(server: &str, error: &rustls::Error) -> Violation {
    use CertificateError as C;
    use rustls::Error as E;
    match error {
        E::InvalidCertificate(C::UnknownIssuer) => problem(
            server,
            "its certificate is signed by an authority that is not trusted",
            "put the certificate of that authority into certificate-authority-data of the kubeconfig",
        ),
        E::InvalidCertificate(C::NotValidForName | C::NotValidForNameContext { .. }) => problem(
            server,
            "its certificate is for another name or address",
            "use one of the names in the certificate, or set tls-server-name in the kubeconfig",
        ),
        E::InvalidCertificate(C::Expired | C::ExpiredContext { .. }) => {
            problem(server, "its certificate has expired", "renew it, or correct the clock of this machine")
        }
        E::InvalidCertificate(C::NotValidYet | C::NotValidYetContext { .. }) => {
            problem(server, "its certificate is not valid yet", "correct the clock of this machine")
        }
        E::InvalidCertificate(_) => problem(
            server,
            "its certificate cannot be verified",
            "give the API server a certificate that is signed by an authority and has names",
        ),
        E::AlertReceived(_) => problem(
            server,
            "it ended the TLS handshake",
            "check that client-certificate of the kubeconfig is valid and known to the server",
        ),
        E::InvalidMessage(_) => {
            problem(server, "it does not speak TLS", "check the port, or use http:// instead")
        }
        _ => {
            problem(server, "the TLS handshake failed", "check that both sides have a TLS version in common")
        }
    }
}

/// An error and its causes. The error that an [`io::Error`] wraps is not among its own sources.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>() {
        Some(wrapper) => wrapper.get_ref().map(|wrapped| wrapped as &(dyn Error + 'static)),
        None => error.source(),
    })
}
