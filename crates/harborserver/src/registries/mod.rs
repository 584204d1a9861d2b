//! Endpoints: other registries that Harbor replicates with or caches.

mod adapters;
mod change;
mod create;
mod health;
mod read;
mod url;

use crate::{
    clock::date_time,
    rest::{Column, Route, Row, Shown},
    secret::Secret,
    state::Id,
};
use jiff::Timestamp;
use serde_json::Value;

/// The endpoints of registries.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/registries", read::list),
    Route::post("/registries", create::create),
    Route::post("/registries/ping", health::ping),
    Route::get("/registries/{id}", read::read),
    Route::put("/registries/{id}", change::update),
    Route::delete("/registries/{id}", change::delete),
    Route::get("/registries/{id}/info", adapters::info),
    Route::get("/replication/adapters", adapters::list),
    Route::get("/replication/adapterinfos", adapters::infos),
];

/// What is shown instead of a secret.
const STARS: &str = "*****";

/// Another registry.
#[derive(Clone)]
pub(crate) struct Registry {
    pub name: String,
    description: String,
    /// The adapter that talks to it.
    pub kind: String,
    pub url: String,
    insecure: bool,
    ca_certificate: String,
    credential: Option<Credential>,
    created: Timestamp,
    updated: Timestamp,
}

/// How Harbor logs in to another registry.
#[derive(Clone)]
pub(crate) struct Credential {
    kind: String,
    key: String,
    secret: Secret,
}

impl Registry {
    /// Whether a project can be a cache of it.
    pub fn can_be_proxied(&self) -> bool {
        const PERMITTED: [&str; 10] = [
            "docker-hub",
            "harbor",
            "azure-acr",
            "ali-acr",
            "aws-ecr",
            "google-gcr",
            "docker-registry",
            "github-ghcr",
            "quay",
            "jfrog-artifactory",
        ];
        PERMITTED.contains(&self.kind.as_str())
    }

    /// Before the first look at it after a change.
    pub fn show(&self, id: Id<Self>) -> Value {
        self.show_with(id, "healthy")
    }

    fn show_with(&self, id: Id<Self>, status: &str) -> Value {
        let credential = match &self.credential {
            None => Shown::new(),
            Some(credential) => Shown::new()
                .nonzero("type", credential.kind.as_str())
                .nonzero("access_key", credential.key.as_str())
                .nonzero("access_secret", if credential.secret.is_empty() { "" } else { STARS }),
        };
        Shown::new()
            .with("id", id.number())
            .with("name", self.name.as_str())
            .nonzero("description", self.description.as_str())
            .with("type", self.kind.as_str())
            .with("url", self.url.as_str())
            .nonzero("insecure", self.insecure)
            .nonzero("ca_certificate", self.ca_certificate.as_str())
            .with("credential", credential)
            .with("status", status)
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }

    /// The Harbor itself, as replication policies show the side that is not remote.
    pub fn show_local(core_url: &str) -> Value {
        let never = || date_time(None);
        Shown::new()
            .with("id", 0)
            .with("name", "Local")
            .with("type", "harbor")
            .with("url", core_url)
            .with("insecure", true)
            .with("credential", Shown::new().with("type", "secret").with("access_secret", STARS))
            .with("status", "healthy")
            .with("creation_time", never())
            .with("update_time", never())
            .into()
    }
}

struct Listed<'a>(Id<Registry>, &'a Registry);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "url" => Some(Column::Text(self.1.url.clone())),
            "type" => Some(Column::Text(self.1.kind.clone())),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            "updatetime" => Some(Column::Time(Some(self.1.updated))),
            _ => None,
        }
    }
}
