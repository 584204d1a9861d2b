//! The system as a whole: whether it runs, what it is, what it holds.

#![allow(clippy::unnecessary_wraps, reason = "endpoints have the same signature, also those that never fail")]

mod broken;
mod health;
mod information;
mod outside;
mod providers;
mod search;

pub use broken::Broken;
pub use health::Component;
pub(crate) use outside::outside;

use crate::rest::Route;

/// The endpoints of the system.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/ping", health::ping).text(),
    Route::get("/health", health::health),
    Route::get("/systeminfo", information::read),
    Route::get("/systeminfo/volumes", information::volumes),
    Route::get("/systeminfo/getcert", information::certificate),
    Route::get("/statistics", search::statistics),
    Route::get("/search", search::search),
    Route::post("/ldap/ping", providers::ping_ldap),
    Route::post("/system/oidc/ping", providers::ping_oidc),
];
