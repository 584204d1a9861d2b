//! Scanners: adapters that look for vulnerabilities.

mod change;
mod create;
mod read;

use crate::{
    clock::date_time,
    rest::{Column, Route, Row, Shown},
    network::{Answer, Network},
    secret::Secret,
    state::Data,
    version::{Change, Version},
};
use jiff::Timestamp;
pub(crate) use read::missing;
use serde_json::{Value, json};

/// The endpoints of scanners.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/scanners", read::list),
    Route::post("/scanners", create::create),
    Route::post("/scanners/ping", create::ping),
    Route::get("/scanners/{registration_id}", read::read),
    Route::put("/scanners/{registration_id}", change::update),
    Route::patch("/scanners/{registration_id}", change::make_default),
    Route::delete("/scanners/{registration_id}", change::delete),
    Route::get("/scanners/{registration_id}/metadata", read::metadata),
];

/// What every adapter says of itself: all that answer are the same stand-in.
pub(crate) const ADAPTER: (&str, &str, &str) = ("Standin", "Example", "1.0");

/// The registration of an adapter.
#[derive(Clone)]
pub(crate) struct Scanner {
    pub uuid: String,
    name: String,
    description: String,
    url: String,
    auth: String,
    credential: Secret,
    pub disabled: bool,
    is_default: bool,
    skips_verification: bool,
    uses_internal_address: bool,
    created: Timestamp,
    updated: Timestamp,
}

impl Scanner {
    /// Since 2.14.4 and 2.15.1, the credential is not shown.
    pub fn show(&self, version: Version) -> Shown {
        let credential = if version.hides_credentials() { "" } else { self.credential.reveal() };
        let capabilities = json!({ "support_vulnerability": true, "support_sbom": false });
        Shown::new()
            .with("uuid", self.uuid.as_str())
            .with("name", self.name.as_str())
            .with("description", self.description.as_str())
            .with("url", self.url.as_str())
            .with("auth", self.auth.as_str())
            .with("access_credential", credential)
            .with("disabled", self.disabled)
            .with("is_default", self.is_default)
            .with("skip_certVerify", self.skips_verification)
            .with("use_internal_addr", self.uses_internal_address)
            .when(version.has(Change::Sbom), "capabilities", capabilities)
            .with("create_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
    }

    /// With what the adapter says of itself right now.
    pub fn show_live(&self, version: Version, network: &Network) -> Value {
        let (adapter, vendor, release) = ADAPTER;
        match network.call(&self.url, None) {
            Answer::Silent => self.show(version).with("health", "unhealthy").into(),
            Answer::Healthy | Answer::Refused => self
                .show(version)
                .with("health", "healthy")
                .with("adapter", adapter)
                .with("vendor", vendor)
                .with("version", release)
                .into(),
        }
    }
}

/// A scanner in a list.
pub(crate) struct Listed<'a>(pub &'a Scanner);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "uuid" => Some(Column::Text(self.0.uuid.clone())),
            "name" => Some(Column::Text(self.0.name.clone())),
            "url" => Some(Column::Text(self.0.url.clone())),
            "createtime" => Some(Column::Time(Some(self.0.created))),
            _ => None,
        }
    }
}

impl Data {
    /// The scanner of projects that have not chosen another.
    pub fn default_scanner(&self) -> Option<&Scanner> {
        self.scanners.find(|scanner| scanner.is_default).map(|(_, scanner)| scanner)
    }
}
