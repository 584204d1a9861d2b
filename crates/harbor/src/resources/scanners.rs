//! Scanners of vulnerabilities.

use super::{in_project::InProject, is_false, registries::RegistryUrl};
use crate::{
    Deletion, Harbor, Secret,
    client::{Filter, Path},
    error::Error,
    words::words,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

impl Harbor {
    /// Scanners.
    pub fn scanners(&self) -> Scanners<'_> {
        Scanners { harbor: self }
    }
}

/// Calls about scanners. A scanner is identified by its name. `Trivy` belongs to Core, which creates and deletes it.
#[derive(Clone, Copy, Debug)]
pub struct Scanners<'h> {
    harbor: &'h Harbor,
}

const SCANNERS: &str = "/scanners";

impl Scanners<'_> {
    /// All scanners.
    pub async fn list(&self) -> Result<Vec<Scanner>, Error> {
        self.harbor.get(Path::new(SCANNERS)).pages().await
    }

    /// The scanner with this name.
    pub async fn find(&self, name: &str) -> Result<Option<Scanner>, Error> {
        let filter = Filter::default().exact("name", name);
        let found: Vec<Scanner> = self.harbor.get(Path::new(SCANNERS)).filter(&filter).pages().await?;
        Ok(found.into_iter().find(|scanner| scanner.name == name))
    }

    /// The scanner with this identifier.
    pub async fn get(&self, uuid: &str) -> Result<Option<Scanner>, Error> {
        self.harbor.get(Path::new(SCANNERS).name(uuid)).json_if_found().await
    }

    /// Creates a scanner, and returns its identifier. Harbor contacts it. The first scanner becomes the default.
    pub async fn create(&self, scanner: &NewScanner) -> Result<String, Error> {
        self.harbor.post(Path::new(SCANNERS)).body(scanner).checks_remote().created_name().await
    }

    /// Replaces a scanner.
    pub async fn replace(&self, uuid: &str, scanner: &NewScanner) -> Result<(), Error> {
        self.harbor.put(Path::new(SCANNERS).name(uuid)).body(scanner).checks_remote().done().await
    }

    /// Makes a scanner the default.
    pub async fn make_default(&self, uuid: &str) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Default {
            is_default: bool,
        }
        self.harbor.patch(Path::new(SCANNERS).name(uuid)).body(&Default { is_default: true }).done().await
    }

    /// Deletes a scanner. If it was the default, there is none afterwards.
    pub async fn delete(&self, uuid: &str) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(SCANNERS).name(uuid)).gone().await
    }

    /// Succeeds if Harbor can use a scanner like this.
    pub async fn ping(&self, scanner: &NewScanner) -> Result<(), Error> {
        self.harbor.post(Path::new(SCANNERS).then("ping")).body(scanner).checks_remote().done().await
    }

    /// What a scanner says about itself.
    pub async fn adapter(&self, uuid: &str) -> Result<Adapter, Error> {
        self.harbor.get(Path::new(SCANNERS).name(uuid).then("metadata")).checks_remote().json().await
    }
}

impl<'h> InProject<'h> {
    /// The scanner of the project.
    pub fn scanner(self) -> ProjectScanner<'h> {
        ProjectScanner { project: self }
    }
}

/// Calls about the scanner of a project.
#[derive(Clone, Copy, Debug)]
pub struct ProjectScanner<'h> {
    project: InProject<'h>,
}

impl ProjectScanner<'_> {
    /// The scanner: the project's own, or the default.
    pub async fn get(&self) -> Result<Option<Scanner>, Error> {
        self.project.harbor().get(self.project.path("scanner")).answers_anyone().json_if_any().await
    }

    /// Gives the project a scanner of its own.
    pub async fn set(&self, uuid: &str) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Choice<'a> {
            uuid: &'a str,
        }
        self.project.harbor().put(self.project.path("scanner")).body(&Choice { uuid }).done().await
    }

    /// The scanners that the project may have.
    pub async fn candidates(&self) -> Result<Vec<Scanner>, Error> {
        self.project.harbor().get(self.project.path("scanner").then("candidates")).pages().await
    }
}

words! {
    /// How Harbor logs in to a scanner.
    pub enum ScannerAuth {
        /// With a user name and a password.
        Basic = "Basic",
        /// With a token.
        Bearer = "Bearer",
        /// With a key in a header of its own.
        ApiKey = "X-ScannerAdapter-API-Key",
    }
}

/// A scanner.
#[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Scanner {
    /// Its identifier.
    pub uuid: String,
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// Its address.
    pub url: String,
    /// How Harbor logs in to it.
    pub auth: ScannerAuth,
    /// The credentials, which some versions show.
    pub access_credential: Secret,
    /// Whether its certificate is not checked.
    #[serde(rename = "skip_certVerify")]
    pub skip_cert_verify: bool,
    /// Whether it gets the internal address of the registry.
    pub use_internal_addr: bool,
    /// Whether it is disabled.
    pub disabled: bool,
    /// Whether projects without a scanner of their own use it.
    pub is_default: bool,
    /// `healthy` or `unhealthy`; only where Harbor has just asked it.
    pub health: String,
    /// What it can do, from 2.11 on.
    pub capabilities: Capabilities,
}

/// What a scanner can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Whether it finds vulnerabilities.
    pub support_vulnerability: bool,
    /// Whether it makes software bills of materials.
    pub support_sbom: bool,
}

/// A scanner to create, or to replace another with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewScanner {
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// Its address.
    pub url: RegistryUrl,
    /// How Harbor logs in to it; unset for not at all.
    #[serde(skip_serializing_if = "ScannerAuth::is_unset")]
    pub auth: ScannerAuth,
    /// The credentials. An empty one keeps the stored one in versions that hide it.
    #[serde(skip_serializing_if = "Secret::is_empty")]
    pub access_credential: Secret,
    /// Whether its certificate is not checked.
    #[serde(rename = "skip_certVerify")]
    pub skip_cert_verify: bool,
    /// Whether it gets the internal address of the registry.
    pub use_internal_addr: bool,
    /// Whether it is disabled. The default cannot be: Harbor answers 500.
    #[serde(skip_serializing_if = "is_false")]
    pub disabled: bool,
}

impl NewScanner {
    /// Whether a scanner is as this one, as far as Harbor shows it. The credentials do not count.
    pub fn is_as(&self, scanner: &Scanner) -> bool {
        self.name == scanner.name
            && self.description == scanner.description
            && self.url.is(&scanner.url)
            && self.auth == scanner.auth
            && self.skip_cert_verify == scanner.skip_cert_verify
            && self.use_internal_addr == scanner.use_internal_addr
            && self.disabled == scanner.disabled
    }
}

/// What a scanner says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Adapter {
    /// Who it is.
    pub scanner: AdapterScanner,
    /// Further properties.
    pub properties: BTreeMap<String, String>,
}

/// Who a scanner is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AdapterScanner {
    /// Its name.
    pub name: String,
    /// Its vendor.
    pub vendor: String,
    /// Its version.
    pub version: String,
}

#[cfg(test)]
mod tests {
    use super::{NewScanner, Scanner, ScannerAuth};
    use serde_json::json;

    #[test]
    fn what_harbor_shows_of_a_scanner_is_no_difference() {
        let shown: Scanner = serde_json::from_value(json!({
            "access_credential": "", "adapter": "Standin", "auth": "Bearer", "description": "",
            "create_time": "2026-11-16T06:51:28.723Z", "disabled": false, "health": "healthy", "is_default": true,
            "name": "standin", "skip_certVerify": true, "url": "http://standin.example.com:8090",
            "use_internal_addr": false, "uuid": "262a386e", "vendor": "Example", "version": "1.0",
        }))
        .unwrap();
        let wanted = NewScanner {
            name: "standin".into(),
            description: String::new(),
            url: "http://standin.example.com:8090/".parse().unwrap(),
            auth: ScannerAuth::Bearer,
            access_credential: "scanner-credential".into(),
            skip_cert_verify: true,
            use_internal_addr: false,
            disabled: false,
        };
        assert!(wanted.is_as(&shown));
        assert!(!NewScanner { auth: ScannerAuth::default(), ..wanted }.is_as(&shown));
    }
}
