//! Requests in, responses out.

use crate::{
    answer::answer,
    rest::{LARGEST_REQUEST, Received, Reply, collect_limited},
    server::HarborServer,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Method, Request, Response};
use http_body_util::Full;
use std::{
    convert::Infallible,
    task::{Context, Poll},
};
use tower::{BoxError, Service};

impl<B> Service<Request<B>> for HarborServer
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let is_head = head.method == Method::HEAD;
            let reply = match collect_limited(body, LARGEST_REQUEST).await {
                Ok(body) => {
                    let received = Received::new(&head, body);
                    let answered = server.with(|data, runtime, now| answer(data, runtime, &received, now));
                    if !answered.delay.is_zero() {
                        tokio::time::sleep(answered.delay).await;
                    }
                    answered.reply
                }
                Err(failure) => Reply::refusal(&failure, false),
            };
            Ok(reply.into_response(is_head))
        })
    }
}
