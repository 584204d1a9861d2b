//! Scanners: adapters that look for vulnerabilities.

mod change;
mod create;
mod read;

pub(crate) use read::missing;

use crate::{
    clock::date_time,
    network::{Answer, Network},
    rest::{Column, Route, Row, Shown},
    state::Data,
    version::{Change, Version},
};
use create::ScannerRequest;
use jiff::Timestamp;
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
    wanted: ScannerRequest,
    is_default: bool,
    created: Timestamp,
    updated: Timestamp,
}

impl Scanner {
    pub fn is_enabled(&self) -> bool {
        !self.wanted.disabled
    }

    /// Since 2.14.4 and 2.15.1, the credential is not shown.
    pub fn show(&self, version: Version) -> Shown {
        let wanted = &self.wanted;
        let credential = if version.hides_credentials() { "" } else { wanted.access_credential.reveal() };
        let capabilities = json!({ "support_vulnerability": true, "support_sbom": false });
        Shown::new()
            .with("uuid", self.uuid.as_str())
            .with("name", wanted.name())
            .with("description", wanted.description.as_str())
            .with("url", wanted.url())
            .with("auth", wanted.auth.as_str())
            .with("access_credential", credential)
            .with("disabled", wanted.disabled)
            .with("is_default", self.is_default)
            .with("skip_certVerify", wanted.skips_verification)
            .with("use_internal_addr", wanted.use_internal_addr)
            .when(version.has(Change::Sbom), "capabilities", capabilities)
            .with("create_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
    }

    /// With what the adapter says of itself right now.
    pub fn show_live(&self, version: Version, network: &Network) -> Value {
        let (adapter, vendor, release) = ADAPTER;
        match network.call(&self.wanted.url(), None) {
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
            "name" => Some(Column::Text(self.0.wanted.name().to_owned())),
            "url" => Some(Column::Text(self.0.wanted.url())),
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
