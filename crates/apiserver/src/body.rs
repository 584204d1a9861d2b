//! The body of a response: all bytes at once, or a stream of them for a watch.

use crate::failure::Failure;
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt, stream::BoxStream};
use http::StatusCode;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::fmt;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use tower::BoxError;

/// The largest body of a request, the same as kube-apiserver's.
pub(crate) const LARGEST_REQUEST: usize = 3 * 1024 * 1024;

/// The body of a response.
pub struct Body(Content);

enum Content {
    /// None once it was sent.
    Full(Option<Bytes>),
    Stream(BoxStream<'static, Result<Bytes, BoxError>>),
}

impl Body {
    /// A body that is known completely.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self(Content::Full((!bytes.is_empty()).then_some(bytes)))
    }

    /// A body that arrives in pieces; each is sent immediately.
    pub fn stream(pieces: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> Self {
        Self(Content::Stream(pieces.boxed()))
    }

    /// The pieces in order: one for a full body, none for an empty one.
    pub fn into_pieces(self) -> BoxStream<'static, Result<Bytes, BoxError>> {
        match self.0 {
            Content::Full(bytes) => futures::stream::iter(bytes.map(Ok)).boxed(),
            Content::Stream(pieces) => pieces,
        }
    }

    /// The bytes of a body that is known completely, or the body back.
    pub(crate) fn try_full(self) -> Result<Bytes, Self> {
        match self.0 {
            Content::Full(bytes) => Ok(bytes.unwrap_or_default()),
            stream @ Content::Stream(_) => Err(Self(stream)),
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self(Content::Full(None))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Full(bytes) => write!(f, "Body({} bytes)", bytes.as_ref().map_or(0, Bytes::len)),
            Content::Stream(_) => f.write_str("Body(stream)"),
        }
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::full(bytes)
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::full(text)
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Poll::Ready(match &mut self.0 {
            Content::Full(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
            Content::Stream(pieces) => ready!(pieces.poll_next_unpin(cx)).map(|piece| piece.map(Frame::data)),
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Full(bytes) => {
                let length = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Content::Stream(_) => SizeHint::default(),
        }
    }
}

/// All bytes of a request's body, or the failure to answer with when there are more than `limit`.
pub(crate) async fn collect_limited<B>(body: B, limit: usize) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let too_large = || {
        Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {limit}"),
        )
    };
    let mut body = pin!(body);
    let (mut collected, mut length) = (BytesMut::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let error: BoxError = error.into();
            Failure::bad_request(format!("could not read the request: {error}"))
        })?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        // Reads on for a while: a client that still sends does not read, and would see a broken connection.
        if length > limit.saturating_mul(4) {
            break;
        }
        if length <= limit {
            collected.extend_from_slice(&data);
        }
    }
    if length > limit { Err(too_large()) } else { Ok(collected.freeze()) }
}

#[cfg(test)]
mod tests {
    use super::{Body, collect_limited};
    use bytes::Bytes;
    use futures::{FutureExt, stream};
    use http::StatusCode;
    use http_body::Body as _;

    fn collected(body: Body, limit: usize) -> Result<Bytes, (StatusCode, String)> {
        let collecting = collect_limited(body, limit).now_or_never().expect("nothing to wait for");
        collecting.map_err(|failure| (failure.code, failure.message))
    }

    #[test]
    fn a_full_body_knows_its_length() {
        assert_eq!(Body::full("hello").size_hint().exact(), Some(5));
        assert!(Body::full("").is_end_stream());
    }

    #[test]
    fn a_body_as_large_as_the_limit_is_accepted_and_one_byte_more_is_not() {
        let pieces = || Body::stream(stream::iter(["abc", "de"].map(|piece| Ok(Bytes::from(piece)))));
        let refused = Err((StatusCode::PAYLOAD_TOO_LARGE, "Request entity too large: limit is 4".to_owned()));

        assert_eq!(collected(Body::full("abcde"), 5), Ok(Bytes::from("abcde")));
        assert_eq!(collected(pieces(), 5), Ok(Bytes::from("abcde")));
        assert_eq!(collected(Body::full("abcde"), 4), refused);
        assert_eq!(collected(pieces(), 4), refused);
    }
}
