//! Certificates as files beside the settings of a program.

use crate::{
    certificates::pem_file,
    pods::{directory_mount, secret_volume},
    secrets::{SecretKey, Secrets},
};
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};

/// Some files of a Secret, in a directory called like their volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Certificates<'a> {
    name: &'static str,
    secret: &'a str,
    files: &'static [&'static str],
}

impl<'a> Certificates<'a> {
    /// These files of a Secret, found there.
    pub fn of(
        name: &'static str,
        secret: &'a str,
        files: &'static [&'static str],
        secrets: &Secrets<'_>,
    ) -> Result<Self, PlanError> {
        let check = |file: &&str| secrets.sound(&SecretKey::new(secret, file), pem_file(file));
        files.iter().map(check).collect::<Vec<_>>().all()?;
        Ok(Self { name, secret, files })
    }

    /// Where a file of it is, for a program whose settings are in `directory`.
    pub fn path(&self, directory: &str, file: &str) -> String {
        format!("{directory}/{}/{file}", self.name)
    }

    /// The volume.
    pub fn volume(&self) -> Volume {
        let files: Vec<(&str, &str)> = self.files.iter().map(|file| (*file, *file)).collect();
        secret_volume(self.name, self.secret, &files)
    }

    /// The files, for a program whose settings are in `directory`.
    pub fn mount(&self, directory: &str) -> VolumeMount {
        directory_mount(self.name, format!("{directory}/{}", self.name))
    }
}
