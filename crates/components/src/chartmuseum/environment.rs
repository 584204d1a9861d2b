//! The environment of ChartMuseum's container: its secrets, by reference, and its store.

use super::{
    config,
    validated::{Validated, basic_auth},
};
use crate::pods::Environment;

/// The whole environment, without duplicate names.
pub(super) fn environment(charts: &Validated<'_>) -> Environment {
    let mut environment = Environment::default().with("CONFIG", config::path());
    if let Some([user, password]) = charts.spec.authentication.as_ref().and_then(basic_auth) {
        environment =
            environment.with_secret("BASIC_AUTH_USER", &user).with_secret("BASIC_AUTH_PASS", &password);
    }
    if let Some(password) = charts.cache.as_ref().and_then(|cache| cache.password) {
        environment = environment.with_secret("CACHE_REDIS_PASSWORD", &password);
    }
    environment.and(charts.store.environment())
}
