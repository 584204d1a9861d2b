//! The kubeconfig for `kubectl`.

use super::authority::Authority;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The first line of each file that this module writes. A file without it belongs to the user.
const MARKER: &str = "# Written by a Kubernetes API in memory, which overwrites it.";

/// The URL of a server, and its certificate authority.
#[derive(Debug, Clone)]
pub struct Endpoint {
    address: SocketAddr,
    certificate: String,
}

/// The credential of a user.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// A bearer token.
    Token(String),
    /// A client certificate and its key, both as PEM.
    Certificate {
        /// The certificate.
        certificate: String,
        /// Its private key.
        key: String,
    },
}

/// Why a kubeconfig was not written.
#[derive(Debug, thiserror::Error)]
pub enum KubeconfigError {
    /// The file contains something that its owner may need.
    #[error("{} exists and was not written by us; name another file or remove it", .0.display())]
    Foreign(PathBuf),
    /// A file operation failed.
    #[error("cannot write the kubeconfig {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

impl Endpoint {
    /// The endpoint of a server that listens at `address` with certificates of `authority`.
    pub fn new(address: SocketAddr, authority: &Authority) -> Self {
        Self { address, certificate: authority.certificate().to_owned() }
    }

    /// As in `https://127.0.0.1:6443`.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("https://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// A kubeconfig whose only context is `context`.
    pub fn kubeconfig(&self, context: &str, credential: &Credential) -> String {
        let user = match credential {
            Credential::Token(token) => json!({ "token": token }),
            Credential::Certificate { certificate, key } => {
                json!({ "client-certificate-data": STANDARD.encode(certificate), "client-key-data": STANDARD.encode(key) })
            }
        };
        let config = Config {
            api_version: "v1",
            kind: "Config",
            current_context: context,
            clusters: [json!({
                "name": context,
                "cluster": { "server": self.url(), "certificate-authority-data": STANDARD.encode(&self.certificate) },
            })],
            users: [json!({ "name": context, "user": user })],
            contexts: [json!({ "name": context, "context": { "cluster": context, "user": context } })],
        };
        // JSON is YAML: if the writer should fail, the file is less readable and still valid.
        let text = serde_saphyr::to_string(&config).unwrap_or_else(|_| json!(config).to_string());
        format!("{MARKER}\n{text}")
    }

    /// Writes a kubeconfig that only its owner can read. Replaces only a file that this function wrote.
    pub fn write_kubeconfig(
        &self,
        path: &Path,
        context: &str,
        credential: &Credential,
    ) -> Result<(), KubeconfigError> {
        let failed = |source| KubeconfigError::Io { path: path.to_owned(), source };
        if !ours_to_write(path).map_err(failed)? {
            return Err(KubeconfigError::Foreign(path.to_owned()));
        }
        replace(path, &self.kubeconfig(context, credential)).map_err(failed)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    api_version: &'a str,
    kind: &'a str,
    #[serde(rename = "current-context")]
    current_context: &'a str,
    clusters: [Value; 1],
    users: [Value; 1],
    contexts: [Value; 1],
}

/// Whether the file is missing, empty or begins with the marker.
fn ours_to_write(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let mut first = Vec::new();
    io::Read::take(BufReader::new(file), MARKER.len() as u64 + 1).read_until(b'\n', &mut first)?;
    Ok(first.is_empty() || first.trim_ascii_end() == MARKER.as_bytes())
}

/// Writes a second file and renames it, so that a reader never sees a partial file.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{Credential, Endpoint, KubeconfigError, MARKER};
    use crate::serve::Authority;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn endpoint() -> Endpoint {
        let authority = Authority::generate().expect("an authority");
        Endpoint::new("0.0.0.0:6443".parse().expect("an address"), &authority)
    }

    #[test]
    fn a_server_on_all_addresses_is_reached_on_the_loopback_one() {
        assert_eq!(endpoint().url(), "https://127.0.0.1:6443");
    }

    #[test]
    fn a_kubeconfig_is_private_and_replaces_only_one_of_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kubeconfig");
        let token = Credential::Token("t0ken".into());

        for _ in 0..2 {
            endpoint().write_kubeconfig(&path, "sandbox", &token).expect("written");
        }
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&path).expect("text").starts_with(MARKER));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);

        fs::write(&path, "apiVersion: v1\n").expect("written");
        let refused = endpoint().write_kubeconfig(&path, "sandbox", &token);
        assert!(matches!(refused, Err(KubeconfigError::Foreign(at)) if at == path));
        assert_eq!(fs::read_to_string(&path).expect("text"), "apiVersion: v1\n");
    }
}
