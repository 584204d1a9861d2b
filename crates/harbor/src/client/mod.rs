//! The client: how requests get to a Harbor, and what keeps them within bounds.
//!
//! Uses: error.

mod address;
mod call;
mod circuit;
mod credentials;
pub(crate) mod decode;
mod exchange;
mod filter;
mod limits;
mod network;
mod pace;
mod pages;
mod path;
#[cfg(test)]
pub(crate) mod tests;
mod trust;

pub use address::{Address, AddressError};
pub(crate) use call::Call;
pub use call::Deletion;
pub use credentials::Credentials;
pub(crate) use filter::Filter;
pub use limits::Limits;
pub(crate) use path::Path;
pub use trust::{Trust, TrustError};

use crate::{Secret, session::Session};
use bytes::Bytes;
use call::Request;
use circuit::Circuit;
use credentials::Identity;
use http::{HeaderValue, Method};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use pace::Pace;
use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::Mutex;
use tower::{BoxError, Service, ServiceExt as _, util::BoxCloneSyncService};

/// A client of one Harbor. Clones share connections, limits, credentials and what is known about the server.
#[derive(Clone)]
pub struct Harbor {
    shared: Arc<Shared>,
    /// What Core's log shows for the requests of this clone.
    request_id: Option<HeaderValue>,
    /// How many requests this clone and its clones have sent.
    sent: Arc<AtomicU64>,
}

struct Shared {
    address: Address,
    transport: Transport,
    limits: Limits,
    pace: Pace,
    identity: RwLock<Identity>,
    circuit: Circuit,
    /// Held by the request that finds out why it was rejected; others wait for its result.
    judging: Mutex<()>,
    /// Held for reading by requests with the credentials, and for writing by one that sets their password.
    password: tokio::sync::RwLock<()>,
    session: Session,
}

/// The way to a server.
type Transport =
    BoxCloneSyncService<http::Request<Full<Bytes>>, http::Response<UnsyncBoxBody<Bytes, BoxError>>, BoxError>;

/// The longest identifier of a request.
const LONGEST_REQUEST_ID: usize = 256;

impl Harbor {
    /// A client of the Harbor at this address. Nothing is sent yet.
    pub fn new(
        address: Address,
        trust: &Trust,
        credentials: Credentials,
        limits: Limits,
    ) -> Result<Self, TrustError> {
        let transport = network::network(trust, &limits)?;
        Ok(Self::with_transport(transport, address, credentials, limits))
    }

    /// A client that hands its requests to a service instead of the network, such as a Harbor in memory.
    pub fn over<S, B>(service: S, address: Address, credentials: Credentials, limits: Limits) -> Self
    where
        S: Service<http::Request<Full<Bytes>>, Response = http::Response<B>>,
        S: Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        Self::with_transport(transport(service), address, credentials, limits)
    }

    fn with_transport(
        transport: Transport,
        address: Address,
        credentials: Credentials,
        limits: Limits,
    ) -> Self {
        let shared = Shared {
            address,
            transport,
            limits,
            pace: Pace::new(&limits),
            identity: RwLock::new(Identity::new(credentials, 0)),
            circuit: Circuit::default(),
            judging: Mutex::default(),
            password: tokio::sync::RwLock::default(),
            session: Session::default(),
        };
        Self { shared: Arc::new(shared), request_id: None, sent: Arc::default() }
    }

    /// A client of the same Harbor with other credentials. What it learns of them does not count for this one.
    #[must_use]
    pub fn acting_as(&self, credentials: Credentials) -> Self {
        let Shared { address, transport, limits, .. } = &*self.shared;
        let other = Self::with_transport(transport.clone(), address.clone(), credentials, *limits);
        Self { request_id: self.request_id.clone(), ..other }
    }

    /// The same client, whose requests carry this identifier. Core writes it to its log. They are counted anew, see
    /// [`Harbor::sent`].
    ///
    /// Characters that a header cannot have are replaced.
    #[must_use]
    pub fn with_request_id(&self, id: &str) -> Self {
        let id = id.chars().take(LONGEST_REQUEST_ID).map(|c| if c.is_ascii_graphic() { c } else { '_' });
        let id = HeaderValue::try_from(id.collect::<String>()).ok().filter(|id| !id.is_empty());
        Self { shared: Arc::clone(&self.shared), request_id: id, sent: Arc::default() }
    }

    /// How many requests were sent since [`Harbor::with_request_id`] made this client, those of its clones included.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Uses other credentials from now on, in all clones. If they differ, the rejection of the old ones is forgotten.
    pub fn set_credentials(&self, credentials: Credentials) {
        let mut identity = self.shared.identity.write().unwrap_or_else(PoisonError::into_inner);
        if identity.credentials != credentials {
            *identity = Identity::new(credentials, identity.generation + 1);
            drop(identity);
            self.shared.session.distrust();
        }
    }

    /// The address of the server.
    pub fn address(&self) -> &Address {
        &self.shared.address
    }

    fn count(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn session(&self) -> &Session {
        &self.shared.session
    }

    pub(crate) fn get(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::GET, path))
    }

    pub(crate) fn head(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::HEAD, path))
    }

    pub(crate) fn post(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::POST, path))
    }

    pub(crate) fn put(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::PUT, path))
    }

    pub(crate) fn patch(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::PATCH, path))
    }

    pub(crate) fn delete(&self, path: Path) -> Call<'_> {
        Call::new(self, Request::new(Method::DELETE, path))
    }

    /// The password in use.
    pub(crate) fn password(&self) -> Secret {
        Secret::from(self.identity().credentials.password)
    }

    fn identity(&self) -> Identity {
        self.shared.identity.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Harbor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.identity().credentials.username;
        f.debug_struct("Harbor")
            .field("address", &self.shared.address)
            .field("user", &user)
            .finish_non_exhaustive()
    }
}

fn transport<S, B>(service: S) -> Transport
where
    S: Service<http::Request<Full<Bytes>>, Response = http::Response<B>>,
    S: Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let service = service.map_err(Into::into);
    let service = service.map_response(|response: http::Response<B>| {
        response.map(|body| body.map_err(Into::into).boxed_unsync())
    });
    BoxCloneSyncService::new(service)
}
