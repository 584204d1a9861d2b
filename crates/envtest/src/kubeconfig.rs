//! The kubeconfig of the administrator.

use crate::error::StartError;
use crate::folder;
use crate::pki::Pki;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The path of the kubeconfig in a control plane's folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("kubeconfig")
}

/// Writes the kubeconfig for kubectl, kube-controller-manager and tests. JSON is valid YAML.
pub(crate) fn write(folder: &Path, port: u16, pki: &Pki) -> Result<(), StartError> {
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": "envtest",
            "cluster": { "server": format!("https://127.0.0.1:{port}"), "certificate-authority": pki.authority },
        }],
        "users": [{
            "name": "admin",
            "user": { "client-certificate": pki.admin.certificate, "client-key": pki.admin.key },
        }],
        "contexts": [{ "name": "envtest", "context": { "cluster": "envtest", "user": "admin" } }],
        "current-context": "envtest",
    });
    folder::write(&path(folder), &format!("{kubeconfig:#}\n"))
}

/// The administrator's client configuration.
pub(crate) async fn read(folder: &Path) -> Result<kube::Config, StartError> {
    let kubeconfig = Kubeconfig::read_from(path(folder))?;
    Ok(kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?)
}
