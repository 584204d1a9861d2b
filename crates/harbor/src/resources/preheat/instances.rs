//! Instances: the peer-to-peer networks.

use crate::{Deletion, Harbor, InstanceId, Secret, client::Path, error::Error, words::words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

impl Harbor {
    /// Preheat instances.
    pub fn preheat_instances(&self) -> Instances<'_> {
        Instances { harbor: self }
    }
}

/// Calls about preheat instances. An instance is identified by its name.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'h> {
    harbor: &'h Harbor,
}

const INSTANCES: &str = "/p2p/preheat/instances";

impl Instances<'_> {
    /// All instances.
    pub async fn list(&self) -> Result<Vec<Instance>, Error> {
        self.harbor.get(Path::new(INSTANCES)).pages().await
    }

    /// The instance with this name.
    pub async fn get(&self, name: &str) -> Result<Option<Instance>, Error> {
        self.harbor.get(Path::new(INSTANCES).name(name)).json_if_found().await
    }

    /// Creates an instance. Harbor answers 500 to a name that is taken.
    pub async fn create(&self, instance: &NewInstance) -> Result<(), Error> {
        self.harbor.post(Path::new(INSTANCES)).body(instance).done().await
    }

    /// Replaces an instance. Harbor refuses to disable one that policies use.
    pub async fn replace(&self, id: InstanceId, instance: &NewInstance) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Numbered<'a> {
            id: InstanceId,
            #[serde(flatten)]
            instance: &'a NewInstance,
        }
        let path = Path::new(INSTANCES).name(&instance.name);
        self.harbor.put(path).body(&Numbered { id, instance }).done().await
    }

    /// Deletes an instance. Harbor refuses that while policies use it.
    pub async fn delete(&self, name: &str) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(INSTANCES).name(name)).gone().await
    }
}

words! {
    /// How Harbor logs in to an instance.
    pub enum InstanceAuth {
        /// Not at all.
        None = "NONE",
        /// With a user name and a password.
        Basic = "BASIC",
        /// With a token.
        OAuth = "OAUTH",
        /// With a header of its own.
        Custom = "CUSTOM",
    }
}

/// An instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Instance {
    /// Its number.
    pub id: InstanceId,
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// The software, `dragonfly` or `kraken`.
    pub vendor: String,
    /// Its address.
    pub endpoint: String,
    /// How Harbor logs in to it.
    pub auth_mode: InstanceAuth,
    /// The credentials, which some versions show.
    pub auth_info: BTreeMap<String, Secret>,
    /// Whether it is used.
    pub enabled: bool,
    /// Whether policies without an instance use it.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether its certificate is not checked.
    pub insecure: bool,
    /// `Healthy`, `Unhealthy` or `Unknown`.
    pub status: String,
}

/// An instance to create, or to replace another with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewInstance {
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// The software, `dragonfly` or `kraken`, which cannot be changed later.
    pub vendor: String,
    /// Its address, which no other instance has.
    pub endpoint: String,
    /// How Harbor logs in to it.
    pub auth_mode: InstanceAuth,
    /// The credentials. None keep the stored ones in versions that hide them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub auth_info: BTreeMap<String, Secret>,
    /// Whether it is used.
    pub enabled: bool,
    /// Whether policies without an instance use it.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether its certificate is not checked.
    pub insecure: bool,
}

impl NewInstance {
    /// Whether an instance is as this one, as far as Harbor shows it. The credentials do not count.
    pub fn is_as(&self, instance: &Instance) -> bool {
        self.name == instance.name
            && self.description == instance.description
            && self.vendor == instance.vendor
            && self.endpoint == instance.endpoint
            && self.auth_mode == instance.auth_mode
            && self.enabled == instance.enabled
            && self.is_default == instance.is_default
            && self.insecure == instance.insecure
    }
}
