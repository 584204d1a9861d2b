//! Requests in, responses out.

mod answer;
mod collection;
mod log;
mod object;
mod reply;
mod reviews;

use crate::{
    body::{Body, LARGEST_REQUEST, collect_limited},
    server::ApiServer,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response};
use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{BoxError, Service};

impl<B> Service<Request<B>> for ApiServer
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (server, user) = (Arc::clone(&self.shared), self.user.clone());
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let response = match collect_limited(body, LARGEST_REQUEST).await {
                Ok(body) => answer::answer(server, user.as_deref(), &head, body).await,
                Err(failure) => reply::failure(&failure),
            };
            Ok(response)
        })
    }
}
