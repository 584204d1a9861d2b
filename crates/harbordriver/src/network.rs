//! The way to Harbors.

use bytes::Bytes;
use harbor::{Address, AddressError, Credentials, Harbor, Limits, Trust, TrustError};
use harborstate::Access;
use http_body::Body;
use http_body_util::Full;
use tower::{BoxError, Service};

/// The way to Harbors: the network, unless tests or the sandbox put another in its place.
pub trait Network: Send + Sync + 'static {
    /// A client of the Harbor that an [`Access`] names.
    fn connect(&self, access: &Access) -> Result<Harbor, Unconnected>;
}

impl<F> Network for F
where
    F: Fn(&Access) -> Result<Harbor, Unconnected> + Send + Sync + 'static,
{
    fn connect(&self, access: &Access) -> Result<Harbor, Unconnected> {
        self(access)
    }
}

/// Why there can be no client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconnected {
    /// The address is none.
    #[error("the address of Harbor: {0}")]
    Address(#[from] AddressError),
    /// Certificates cannot be checked.
    #[error("the certificate of Harbor: {0}")]
    Trust(#[from] TrustError),
    /// Nothing listens at the address.
    #[error("there is no Harbor at {0}")]
    Nowhere(String),
}

/// The real network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Internet;

impl Network for Internet {
    fn connect(&self, access: &Access) -> Result<Harbor, Unconnected> {
        let trust = match &access.trust {
            harborstate::Trust::Public => Trust::Public,
            harborstate::Trust::Authorities(pem) => Trust::Authorities(pem.clone()),
            harborstate::Trust::Service { authorities, name } => {
                Trust::Service { authorities: authorities.clone(), name: name.clone() }
            }
            harborstate::Trust::Unverified => Trust::Unverified,
        };
        Ok(Harbor::new(access.url.parse::<Address>()?, &trust, credentials(access), Limits::DEFAULT)?)
    }
}

/// A client that hands its requests to a service, such as a Harbor in memory.
pub fn over<S, B>(service: S, access: &Access) -> Result<Harbor, Unconnected>
where
    S: Service<http::Request<Full<Bytes>>, Response = http::Response<B>>,
    S: Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    Ok(Harbor::over(service, access.url.parse::<Address>()?, credentials(access), Limits::DEFAULT))
}

fn credentials(access: &Access) -> Credentials {
    Credentials::new(access.username.clone(), access.password.clone())
}
