//! The path of the sandbox's kubeconfig.

use crate::output::Error;
use std::{
    env,
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt as _,
    path::{self, Path, PathBuf},
    process,
};

/// The path of a kubeconfig. One that the user did not name is removed, with its directory, when this is dropped.
#[derive(Debug)]
pub struct Kubeconfig {
    path: PathBuf,
    ours: Option<PathBuf>,
}

impl Kubeconfig {
    /// At this path, or by default in a new directory that only this user can enter.
    pub fn at(path: Option<&Path>) -> Result<Self, Error> {
        if let Some(path) = path {
            // The user may use it in another directory.
            let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
            return Ok(Self { path, ours: None });
        }
        let directory = env::temp_dir().join(format!("harbor-operator-sandbox-{}", process::id()));
        // A killed process with the same id may have left it. This fails if it belongs to another user.
        let _ = fs::remove_dir_all(&directory);
        DirBuilder::new().mode(0o700).create(&directory).map_err(|error| {
            let problem = format!("cannot be created ({})", error.kind());
            Error::input(directory.display(), problem, "name a file for the kubeconfig with --kubeconfig")
        })?;
        Ok(Self { path: directory.join("kubeconfig"), ours: Some(directory) })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A command line that uses it.
    pub fn kubectl(&self, arguments: &str) -> String {
        let path = self.path.display().to_string();
        let harmless = |c: char| c.is_ascii_alphanumeric() || "/._-+:@".contains(c);
        let path =
            if path.chars().all(harmless) { path } else { format!("'{}'", path.replace('\'', r"'\''")) };
        format!("kubectl --kubeconfig {path} {arguments}")
    }
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        if let Some(directory) = &self.ours {
            // It may be gone already.
            let _ = fs::remove_dir_all(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kubeconfig;
    use std::{fs, path::Path};

    #[test]
    fn the_default_kubeconfig_is_private_and_removed() {
        use std::os::unix::fs::PermissionsExt as _;
        let kubeconfig = Kubeconfig::at(None).unwrap();
        let directory = kubeconfig.path().parent().unwrap().to_owned();
        assert_eq!(fs::metadata(&directory).unwrap().permissions().mode() & 0o777, 0o700);
        drop(kubeconfig);
        assert!(!directory.exists());
    }

    #[test]
    fn a_path_with_spaces_can_be_pasted_into_a_shell() {
        let kubeconfig = Kubeconfig::at(Some(Path::new("/tmp/it's mine"))).unwrap();
        assert_eq!(kubeconfig.kubectl("get cores"), r"kubectl --kubeconfig '/tmp/it'\''s mine' get cores");
    }
}
