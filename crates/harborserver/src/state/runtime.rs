//! What a running Core has besides its database.

use super::Installation;
use crate::{
    access::{Identity, Locks},
    entropy::Entropy,
    network::Network,
    system::{Broken, Component},
};
use http::{Method, StatusCode};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// What a running Core has besides its database.
pub(crate) struct Runtime {
    pub installation: Installation,
    pub entropy: Box<dyn Entropy>,
    pub network: Network,
    /// Who typed a wrong password a moment ago.
    pub locks: Locks,
    pub unhealthy: BTreeSet<Component>,
    pub broken: BTreeSet<Broken>,
    /// The callers that have got a token.
    pub tokens: BTreeMap<String, Identity>,
    /// How long after a change the configuration is still read from a cache.
    pub configuration_lag: Duration,
    /// How long a job runs.
    pub job_duration: Duration,
    pub served: Vec<Served>,
}

/// A request that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Its method.
    pub method: Method,
    /// Its path, escaped, without the query.
    pub path: String,
    /// The user or robot that sent it, as far as the credentials were right.
    pub principal: Option<String>,
    /// The status of the answer.
    pub status: StatusCode,
}
