//! The body of a request.

use crate::failure::Failure;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use std::pin::pin;
use tower::BoxError;

/// The largest body of a request. Core itself has no limit; no object of the API comes near this one.
pub(crate) const LARGEST_REQUEST: usize = 4 * 1024 * 1024;

/// All bytes of a body, or the refusal when there are more than `limit`.
pub(crate) async fn collect_limited<B>(body: B, limit: usize) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let mut body = pin!(body);
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::bad_request("the request body could not be read"))?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.len() + data.len() > limit {
            return Err(Failure::too_large());
        }
        collected.extend_from_slice(&data);
    }
    Ok(collected.freeze())
}
