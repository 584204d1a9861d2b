//! Certificates as files in the directory of a program's settings.

use crate::{
    certificates::pem_file,
    pods::{directory_mount, secret_volume},
    secrets::{SecretKey, Secrets},
};
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};

/// Some files of a Secret, in a directory with the name of their volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Certificates<'a> {
    name: &'static str,
    secret: &'a str,
    files: &'static [&'static str],
}

impl<'a> Certificates<'a> {
    /// These files of a Secret, validated.
    pub fn of(
        name: &'static str,
        secret: &'a str,
        files: &'static [&'static str],
        secrets: &Secrets<'_>,
    ) -> Result<Self, PlanError> {
        let check = |file: &&str| secrets.checked(&SecretKey::new(secret, file), pem_file(file));
        files.iter().map(check).collect::<Vec<_>>().all()?;
        Ok(Self { name, secret, files })
    }

    /// The path of a file, for a program whose settings are in `directory`.
    pub fn path(&self, directory: &str, file: &str) -> String {
        format!("{directory}/{}/{file}", self.name)
    }

    /// The volume.
    pub fn volume(&self) -> Volume {
        let files: Vec<(&str, &str)> = self.files.iter().map(|file| (*file, *file)).collect();
        secret_volume(self.name, self.secret, &files)
    }

    /// The mount of the files, for a program whose settings are in `directory`.
    pub fn mount(&self, directory: &str) -> VolumeMount {
        directory_mount(self.name, format!("{directory}/{}", self.name))
    }
}
