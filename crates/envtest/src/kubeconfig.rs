//! The kubeconfig of the administrator.

use crate::error::StartError;
use crate::folder;
use crate::pki::Pki;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where a control plane's folder holds its kubeconfig.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("kubeconfig")
}

/// Writes a file that kubectl, kube-controller-manager and we can use. JSON is YAML.
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
