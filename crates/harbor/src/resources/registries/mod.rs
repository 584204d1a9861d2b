//! Registry endpoints: other registries that Harbor copies from and to, or caches.

mod kind;
mod url;

pub use kind::RegistryType;
pub use url::{NotARegistryUrl, RegistryUrl};

use crate::{
    Deletion, Harbor, RegistryId, Secret,
    client::{Filter, Path},
    error::Error,
    words::words,
};
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Registry endpoints.
    pub fn registries(&self) -> Registries<'_> {
        Registries { harbor: self }
    }
}

/// Calls about registry endpoints. An endpoint is identified by its name.
///
/// Harbor contacts the other registry for every creation and update, so send an update only for a difference.
#[derive(Clone, Copy, Debug)]
pub struct Registries<'h> {
    harbor: &'h Harbor,
}

const REGISTRIES: &str = "/registries";

impl Registries<'_> {
    /// All endpoints.
    pub async fn list(&self) -> Result<Vec<Registry>, Error> {
        self.harbor.get(Path::new(REGISTRIES)).pages().await
    }

    /// The endpoint with this name.
    pub async fn find(&self, name: &str) -> Result<Option<Registry>, Error> {
        let filter = Filter::default().exact("name", name);
        let found: Vec<Registry> = self.harbor.get(Path::new(REGISTRIES)).filter(&filter).pages().await?;
        Ok(found.into_iter().find(|registry| registry.name == name))
    }

    /// The endpoint with this number.
    pub async fn get(&self, id: RegistryId) -> Result<Option<Registry>, Error> {
        self.harbor.get(Path::new(REGISTRIES).id(id)).json_if_found().await
    }

    /// Creates an endpoint.
    pub async fn create(&self, registry: &NewRegistry) -> Result<RegistryId, Error> {
        self.harbor.post(Path::new(REGISTRIES)).body(registry).checks_remote().created().await
    }

    /// Changes an endpoint. What is `None` stays.
    pub async fn update(&self, id: RegistryId, update: &RegistryUpdate) -> Result<(), Error> {
        self.harbor.put(Path::new(REGISTRIES).id(id)).body(update).checks_remote().done().await
    }

    /// Deletes an endpoint. Harbor refuses that while a replication or a proxy cache uses it.
    pub async fn delete(&self, id: RegistryId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(REGISTRIES).id(id)).gone().await
    }

    /// Succeeds if Harbor can use the endpoint.
    pub async fn ping(&self, id: RegistryId) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Ping {
            id: RegistryId,
        }
        let path = Path::new(REGISTRIES).then("ping");
        self.harbor.post(path).body(&Ping { id }).checks_remote().done().await
    }

    /// What the endpoint supports.
    pub async fn info(&self, id: RegistryId) -> Result<RegistryInfo, Error> {
        self.harbor.get(Path::new(REGISTRIES).id(id).then("info")).checks_remote().json().await
    }

    /// The types of endpoints that Harbor offers. From 2.14 on, the environment of Core limits them.
    pub async fn types(&self) -> Result<Vec<RegistryType>, Error> {
        self.harbor.get(Path::new("/replication/adapters")).json().await
    }
}

words! {
    /// How an endpoint is logged in to.
    pub enum CredentialType {
        /// With a user name and a password.
        Basic = "basic",
        /// With OAuth.
        OAuth = "oauth",
        /// With a secret of Harbor's own.
        Secret = "secret",
    }
}

/// A registry endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Registry {
    /// Its number.
    pub id: RegistryId,
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: RegistryType,
    /// Its address, as Harbor stores it.
    pub url: String,
    /// Whether its certificate is not checked.
    pub insecure: bool,
    /// The certificate of its authority.
    pub ca_certificate: String,
    /// How it is logged in to.
    pub credential: ShownCredential,
    /// `healthy` or `unhealthy`, up to five minutes old.
    pub status: String,
}

/// How an endpoint is logged in to. Harbor shows no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShownCredential {
    /// The way.
    #[serde(rename = "type")]
    pub kind: CredentialType,
    /// The user name.
    pub access_key: String,
}

/// An endpoint to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewRegistry {
    /// Its name, of at most 64 characters.
    pub name: String,
    /// A description.
    pub description: String,
    /// Its type, which cannot be changed later.
    #[serde(rename = "type")]
    pub kind: RegistryType,
    /// Its address.
    pub url: RegistryUrl,
    /// Whether its certificate is not checked.
    pub insecure: bool,
    /// The certificate of its authority, from 2.15 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_certificate: Option<String>,
    /// How it is logged in to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
}

/// How an endpoint is logged in to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Credential {
    /// The way.
    #[serde(rename = "type")]
    pub kind: CredentialType,
    /// The user name.
    pub access_key: String,
    /// The password. Harbor shows `*****` for it and would take that for a password, too.
    pub access_secret: Secret,
}

/// A change of an endpoint. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RegistryUpdate {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<RegistryUrl>,
    /// Whether its certificate is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    /// The certificate of its authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_certificate: Option<String>,
    /// How it is logged in to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential_type: Option<CredentialType>,
    /// The user name; an empty one removes the credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key: Option<String>,
    /// The password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_secret: Option<Secret>,
}

impl RegistryUpdate {
    /// Whether it changes nothing. Then do not send it: Harbor contacts the other registry for every update.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl NewRegistry {
    /// What must change so that `actual` is as `self`. A difference of the secret cannot be seen; add it to the update
    /// if it is known to differ.
    pub fn changes(&self, actual: &Registry) -> RegistryUpdate {
        let key = self.credential.as_ref().map_or("", |credential| &credential.access_key);
        let login = self.credential.as_ref().filter(|credential| {
            credential.access_key != actual.credential.access_key || credential.kind != actual.credential.kind
        });
        let certificate = self.ca_certificate.as_deref().unwrap_or_default();
        RegistryUpdate {
            name: None,
            description: (self.description != actual.description).then(|| self.description.clone()),
            url: (!self.url.is(&actual.url)).then(|| self.url.clone()),
            insecure: (self.insecure != actual.insecure).then_some(self.insecure),
            ca_certificate: (certificate != actual.ca_certificate).then(|| certificate.to_owned()),
            credential_type: login.map(|credential| credential.kind.clone()),
            access_key: (key != actual.credential.access_key).then(|| key.to_owned()),
            access_secret: login.map(|credential| credential.access_secret.clone()),
        }
    }
}

/// What an endpoint supports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RegistryInfo {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: RegistryType,
    /// A description.
    pub description: String,
    /// The triggers that a replication may have.
    pub supported_triggers: Vec<String>,
    /// The filters that a replication may have.
    pub supported_resource_filters: Vec<FilterStyle>,
    /// Whether blobs can be copied in chunks.
    pub supported_copy_by_chunk: bool,
}

/// A filter that a replication may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FilterStyle {
    /// What is filtered.
    #[serde(rename = "type")]
    pub kind: String,
    /// How a user enters it.
    pub style: String,
    /// What a user may choose from.
    pub values: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{Credential, CredentialType, NewRegistry, Registry, RegistryType, RegistryUpdate};
    use serde_json::json;

    fn hub() -> NewRegistry {
        NewRegistry {
            name: "hub".into(),
            description: String::new(),
            kind: RegistryType::Harbor,
            url: "http://harbor.example.com/".parse().unwrap(),
            insecure: true,
            ca_certificate: None,
            credential: Some(Credential {
                kind: CredentialType::Basic,
                access_key: "admin".into(),
                access_secret: "Harbor12345".into(),
            }),
        }
    }

    fn shown() -> Registry {
        let shown = json!({
            "creation_time": "2026-11-16T06:50:58.215Z", "id": 1, "insecure": true, "name": "hub",
            "credential": {"access_key": "admin", "access_secret": "*****", "type": "basic"},
            "status": "healthy", "type": "harbor", "url": "http://harbor.example.com",
        });
        serde_json::from_value(shown).unwrap()
    }

    #[test]
    fn what_harbor_shows_of_an_endpoint_is_no_difference() {
        assert!(hub().changes(&shown()).is_empty());
    }

    #[test]
    fn another_user_is_sent_with_its_password() {
        let mut wanted = hub();
        wanted.credential.as_mut().unwrap().access_key = "robot".into();
        let expected = RegistryUpdate {
            credential_type: Some(CredentialType::Basic),
            access_key: Some("robot".into()),
            access_secret: Some("Harbor12345".into()),
            ..RegistryUpdate::default()
        };
        assert_eq!(wanted.changes(&shown()), expected);
    }

    #[test]
    fn an_empty_user_removes_the_credentials() {
        let wanted = NewRegistry { credential: None, ..hub() };
        let sent = serde_json::to_value(wanted.changes(&shown())).unwrap();
        assert_eq!(sent, json!({"access_key": ""}));
    }
}
