//! A Harbor in memory, and a driver that manages it.

use harbordriver::HarborDriver;
use harborserver::{HarborServer, Version};
use harborstate::{Access, State, Trust};
use plan::{Connection, External, System, SystemError};
use runtime::{At, Collection, ExternalDriver as _};
use serde_json::Value;
use std::collections::BTreeMap;

pub const PASSWORD: &str = "Harbor12345";

/// The versions of which there are recordings.
pub const VERSIONS: [(u8, u8); 3] = [(5, 6), (9, 5), (15, 2)];

/// A Harbor, a driver, and the way from one to the other.
pub struct World {
    pub server: HarborServer,
    pub driver: HarborDriver,
    pub system: System,
    pub connection: Connection,
}

impl World {
    pub fn new((minor, patch): (u8, u8)) -> Self {
        let server = HarborServer::new(Version::new(minor, patch), PASSWORD);
        server.network().open("http://hub");
        server.network().open("http://scanner");
        Self::of(server)
    }

    pub fn of(server: HarborServer) -> Self {
        let shared = server.clone();
        let driver = HarborDriver::over(move |access: &Access| harbordriver::over(shared.clone(), access));
        Self {
            server,
            driver,
            system: harborstate::system("registry", "acme"),
            connection: login("admin", PASSWORD),
        }
    }

    pub fn at(&self) -> At<'_> {
        At { system: &self.system, connection: &self.connection, owner: None }
    }

    /// An object with this desired state.
    pub fn wanted(&self, name: &str, state: &impl State) -> External {
        state.external(&self.system, name).unwrap()
    }

    pub async fn create(&self, wanted: &External) -> Result<Value, SystemError> {
        self.driver.create(self.at(), wanted).await
    }

    pub async fn update(&self, wanted: &External) -> Result<Value, SystemError> {
        let actual = self.get(wanted).await.unwrap_or_default();
        self.driver.update(self.at(), wanted, &actual).await
    }

    pub async fn delete(&self, wanted: &External) -> Result<(), SystemError> {
        let actual = self.get(wanted).await.unwrap_or_default();
        self.driver.delete(self.at(), &wanted.key(), &actual, wanted.contents).await
    }

    pub async fn list(&self, name: &str, part: Option<&str>) -> Result<BTreeMap<String, Value>, SystemError> {
        Ok(self.driver.list(self.at(), Collection { name, part }).await?.objects)
    }

    /// The object as the list of its part shows it.
    pub async fn get(&self, wanted: &External) -> Option<Value> {
        let part = self.driver.part(&wanted.collection, &wanted.name);
        self.list(&wanted.collection, part).await.unwrap().remove(&wanted.name)
    }

    /// The fields that differ from the desired state in the list.
    pub async fn differences(&self, wanted: &External) -> Vec<String> {
        match self.get(wanted).await {
            Some(actual) => wanted.differences(&actual),
            None => vec!["missing".to_owned()],
        }
    }

    /// Creates an object, and checks that answer and list are as desired.
    pub async fn created(&self, wanted: &External) -> Value {
        let answer = self.create(wanted).await.unwrap();
        assert_eq!(wanted.differences(&answer), [""; 0], "the answer to {}", wanted.key());
        assert_eq!(self.get(wanted).await.as_ref(), Some(&answer), "the list after {}", wanted.key());
        answer
    }

    /// Updates an object that differs in these fields, and checks that answer and list are as desired.
    pub async fn updated(&self, wanted: &External, fields: &[&str]) -> Value {
        assert_eq!(self.differences(wanted).await, fields, "before the update of {}", wanted.key());
        let answer = self.update(wanted).await.unwrap();
        assert_eq!(wanted.differences(&answer), [""; 0], "the answer to {}", wanted.key());
        assert_eq!(self.get(wanted).await.as_ref(), Some(&answer), "the list after {}", wanted.key());
        answer
    }

    /// Deletes an object twice, and checks that it is gone.
    pub async fn deleted(&self, wanted: &External) {
        self.delete(wanted).await.unwrap();
        assert_eq!(self.get(wanted).await, None, "{} after its deletion", wanted.key());
        assert_eq!(self.delete(wanted).await, Ok(()), "the second deletion of {}", wanted.key());
    }

    /// The requests that work sent, as `METHOD /path`.
    pub async fn requests<T>(&self, work: impl Future<Output = T>) -> (T, Vec<String>) {
        self.server.forget_served();
        let result = work.await;
        let served = self.server.served();
        let path = |path: &str| path.trim_start_matches("/api/v2.0").to_owned();
        (result, served.iter().map(|it| format!("{} {}", it.method, path(&it.path))).collect())
    }
}

pub fn login(username: &str, password: &str) -> Connection {
    let access = Access {
        url: "http://harbor".into(),
        trust: Trust::Public,
        username: username.into(),
        password: password.into(),
    };
    access.connection().unwrap()
}

/// Adds a write-only field.
pub fn with(mut wanted: External, field: &str, value: impl Into<Value>) -> External {
    wanted.write_only.insert(field.to_owned(), value.into());
    wanted
}
