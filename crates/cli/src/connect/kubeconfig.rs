//! Errors of a kubeconfig. No message quotes a value: it may be a secret.

use super::problem;
use kube::config::{KubeconfigError, LoadDataError};
use plan::Violation;
use std::{io, path::Path};

/// The subject of messages if the file is unknown.
pub const SUBJECT: &str = "kubeconfig";

/// Whether the file does not exist.
pub fn is_absent(error: &KubeconfigError) -> bool {
    match error {
        KubeconfigError::FindPath => true,
        KubeconfigError::ReadConfig(error, _) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Explains why it cannot be used.
pub fn unusable(error: KubeconfigError) -> Violation {
    use KubeconfigError as E;
    let wrong = |what: String, remedy: &str| problem(SUBJECT, what, remedy);
    match error {
        E::FindPath => absent("there is no home directory that could have a .kube/config"),
        E::ReadConfig(error, path) if error.kind() == io::ErrorKind::NotFound => {
            absent(&format!("{} does not exist", path.display()))
        }
        E::ReadConfig(error, path) => unreadable(&path, &error),
        E::Parse(error) => {
            let at = error.location().map(|at| format!(" at line {}, column {}", at.line(), at.column()));
            wrong(format!("is not a valid kubeconfig{}", at.unwrap_or_default()), "correct the file")
        }
        E::CurrentContextNotSet => no_context(),
        E::LoadContext(name) if name.is_empty() => no_context(),
        E::LoadContext(name) => {
            wrong(format!("has no context {name:?}"), "`kubectl config get-contexts` lists those it has")
        }
        E::LoadClusterOfContext(name) => wrong(
            format!("has no cluster {name:?}, which its context names"),
            "add it with `kubectl config set-cluster`, or use another context",
        ),
        E::MissingClusterUrl => wrong("clusters: server is missing".into(), "set it to https://HOST:PORT"),
        E::ParseClusterUrl(_) => {
            wrong("clusters: server is not a URL".into(), "write it as https://HOST:PORT")
        }
        E::ParseProxyUrl(_) => {
            wrong("clusters: proxy-url, or HTTPS_PROXY, is not a URL".into(), "correct or remove it")
        }
        E::LoadCertificateAuthority(error) => unloaded("certificate-authority", error),
        E::LoadClientCertificate(error) => unloaded("client-certificate", error),
        E::LoadClientKey(error) => unloaded("client-key", error),
        E::ParseCertificates(_) => {
            wrong("certificate-authority is not PEM".into(), "give certificates in PEM")
        }
        E::KindMismatch | E::ApiVersionMismatch => wrong(
            "the files that KUBECONFIG names are of different kinds or versions".into(),
            "name files of `kind: Config` and `apiVersion: v1`",
        ),
    }
}

/// The file that `--kubeconfig` names cannot be read.
pub fn unreadable_flag(path: &Path, error: &io::Error) -> Violation {
    let place = format!("--kubeconfig: {}", path.display());
    match error.kind() {
        io::ErrorKind::NotFound => problem(place, "does not exist", "correct the path"),
        _ => Violation { subject: place, ..unreadable(path, error) },
    }
}

/// A kubeconfig, or a file that it names, cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Violation {
    let path = path.display().to_string();
    match error.kind() {
        io::ErrorKind::NotFound => problem(path, "does not exist", "correct the path in the kubeconfig"),
        io::ErrorKind::PermissionDenied => {
            problem(path, "this user may not read it", "check its permissions and its owner")
        }
        io::ErrorKind::IsADirectory => problem(path, "is a directory", "name a file"),
        _ => problem(path, format!("cannot be read ({error})"), "check the path"),
    }
}

fn absent(why: &str) -> Violation {
    let what = format!("{why}, and this process is not in a pod");
    problem("no cluster", what, "set KUBECONFIG to the kubeconfig of a cluster")
}

fn no_context() -> Violation {
    problem(SUBJECT, "has no current context", "choose one with `kubectl config use-context`")
}

fn unloaded(field: &str, error: LoadDataError) -> Violation {
    match error {
        LoadDataError::ReadFile(error, path) => unreadable(&path, &error),
        LoadDataError::DecodeBase64(_) => problem(
            SUBJECT,
            format!("{field}-data is not base64"),
            format!("encode it, or name a file in {field}"),
        ),
        LoadDataError::NoBase64DataOrFile => {
            problem(SUBJECT, format!("{field} is missing"), format!("set {field} or {field}-data"))
        }
    }
}
