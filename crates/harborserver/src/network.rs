//! Which other systems answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The systems that a Harbor can reach: registries, scanners, identity providers, LDAP servers, syslog receivers.
/// Everything else does not answer. Clones share the table.
#[derive(Debug, Clone, Default)]
pub struct Network(Arc<Mutex<BTreeMap<String, Option<Credential>>>>);

/// In the place of an address: all that are not in the table.
const EVERYTHING: &str = "*";

#[derive(Clone, PartialEq, Eq)]
struct Credential {
    user: String,
    secret: String,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credential").field("user", &self.user).finish_non_exhaustive()
    }
}

/// What happens when Harbor calls another system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Healthy,
    /// It answers, but not to these credentials.
    Refused,
    Silent,
}

impl Network {
    /// Makes an address answer with and without credentials. An address is a URL, or `host:port` for syslog.
    pub fn open(&self, address: &str) {
        self.sites().insert(plain(address), None);
    }

    /// Makes every address answer for which nothing else is said, for a Harbor that is only tried.
    pub fn open_everything(&self) {
        self.sites().insert(EVERYTHING.to_owned(), None);
    }

    /// Makes an address answer to these credentials, and to requests without any.
    pub fn open_to(&self, address: &str, user: &str, secret: &str) {
        let credential = Credential { user: user.to_owned(), secret: secret.to_owned() };
        self.sites().insert(plain(address), Some(credential));
    }

    /// Makes an address silent.
    pub fn close(&self, address: &str) {
        self.sites().remove(&plain(address));
    }

    /// What an address answers to a call with these credentials.
    pub(crate) fn call(&self, address: &str, credentials: Option<(&str, &str)>) -> Answer {
        let sites = self.sites();
        match (sites.get(&plain(address)).or_else(|| sites.get(EVERYTHING)), credentials) {
            (None, _) => Answer::Silent,
            (Some(None), _) | (Some(Some(_)), None) => Answer::Healthy,
            (Some(Some(wanted)), Some((user, secret))) if wanted.user == user && wanted.secret == secret => {
                Answer::Healthy
            }
            (Some(Some(_)), Some(_)) => Answer::Refused,
        }
    }

    fn sites(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Option<Credential>>> {
        // A table of texts is whole whatever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn plain(address: &str) -> String {
    address.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Answer, Network};

    #[test]
    fn only_open_addresses_answer_and_only_to_their_credentials() {
        let network = Network::default();
        network.open_to("http://far/", "u", "s");
        assert_eq!(network.call("http://far", Some(("u", "s"))), Answer::Healthy);
        assert_eq!(network.call("http://far", Some(("u", "x"))), Answer::Refused);
        assert_eq!(network.call("http://far", None), Answer::Healthy);
        assert_eq!(network.call("http://far/2", None), Answer::Silent);
        network.close("http://far");
        assert_eq!(network.call("http://far", None), Answer::Silent);
        assert!(!format!("{network:?}").contains("\"s\""));
        network.open_everything();
        assert_eq!(network.call("http://far", None), Answer::Healthy);
    }
}
