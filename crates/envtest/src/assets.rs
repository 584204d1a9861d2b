//! Finds the server binaries.

use std::env;
use std::path::{Path, PathBuf};

/// A folder with `etcd` and `kube-apiserver`, and perhaps `kube-controller-manager` and `kubectl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assets {
    folder: PathBuf,
}

/// Why no server binaries can be used.
#[derive(Debug, thiserror::Error)]
pub enum AssetsError {
    /// `KUBEBUILDER_ASSETS` is not set, and the cache has no binaries.
    #[error(
        "no Kubernetes binaries in {}; run hack/kube-assets, or set KUBEBUILDER_ASSETS to a folder with etcd and \
         kube-apiserver",
        .0.display()
    )]
    NotFound(PathBuf),
    /// The folder in `KUBEBUILDER_ASSETS` lacks binaries.
    #[error(
        "KUBEBUILDER_ASSETS={} holds no {program}; point it at a folder with etcd and kube-apiserver, or unset it \
         and run hack/kube-assets", folder.display()
    )]
    Incomplete {
        /// The folder.
        folder: PathBuf,
        /// The missing binary.
        program: &'static str,
    },
}

impl Assets {
    /// Whether `KUBEBUILDER_ASSETS` is set, which selects real servers.
    pub fn are_chosen() -> bool {
        chosen().is_some()
    }

    /// The binaries in `KUBEBUILDER_ASSETS`, otherwise those that `hack/kube-assets` put into the cache.
    pub fn find() -> Result<Self, AssetsError> {
        Self::choose(chosen(), cache().join("kube-assets"))
    }

    fn choose(chosen: Option<PathBuf>, cached: PathBuf) -> Result<Self, AssetsError> {
        let missing = |folder: &Path| {
            ["etcd", "kube-apiserver"].into_iter().find(|program| !folder.join(program).exists())
        };
        match chosen {
            Some(folder) => match missing(&folder) {
                Some(program) => Err(AssetsError::Incomplete { folder, program }),
                None => Ok(Self { folder }),
            },
            None if missing(&cached).is_none() => Ok(Self { folder: cached }),
            None => Err(AssetsError::NotFound(cached)),
        }
    }

    /// The binaries of this folder, without a check.
    #[cfg(test)]
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether `kube-controller-manager` is among the binaries; envtest archives lack it.
    pub fn has_controller_manager(&self) -> bool {
        self.program("kube-controller-manager").exists()
    }

    /// `kubectl` of the same folder, otherwise the one in `PATH`.
    pub fn kubectl(&self) -> PathBuf {
        let beside = self.program("kubectl");
        if beside.exists() { beside } else { PathBuf::from("kubectl") }
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn chosen() -> Option<PathBuf> {
    env::var_os("KUBEBUILDER_ASSETS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The project's folder in the user's cache: private to the user, unlike the system's temporary folder.
pub(crate) fn cache() -> PathBuf {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("harbor-operator")
}

#[cfg(test)]
mod tests {
    use super::{Assets, AssetsError};
    use std::path::PathBuf;

    #[test]
    fn the_error_tells_how_to_get_binaries() {
        let error = Assets::choose(None, PathBuf::from("/nonexistent")).unwrap_err();
        assert!(matches!(error, AssetsError::NotFound(_)));
        assert!(error.to_string().contains("run hack/kube-assets"), "{error}");
    }

    #[test]
    fn a_variable_that_names_a_wrong_folder_is_not_passed_over() {
        let error = Assets::choose(Some(PathBuf::from("/nonexistent")), PathBuf::from("/")).unwrap_err();
        assert!(error.to_string().contains("KUBEBUILDER_ASSETS=/nonexistent holds no etcd"), "{error}");
    }
}
