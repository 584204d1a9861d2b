//! The way to a Harbor for an operator that is killed with the last of so many writes, to the cluster or to Harbor. Over TLS, it
//! must trust the pods of Core.

use crate::{harbor_of_pods::HarborOfPods, trusted};
use bytes::Bytes;
use futures::future::BoxFuture;
use harbordriver::{Network, Unconnected};
use harborstate::Access;
use http::{Method, Request};
use http_body_util::Full;
use kube::Client;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio_util::sync::CancellationToken;
use tower::BoxError;

/// The way of an operator that does not receive the answer to its last write.
#[derive(Clone)]
pub struct Doomed {
    way: HarborOfPods,
    client: Client,
    left: Arc<AtomicU64>,
    killed: CancellationToken,
}

impl Doomed {
    /// `left` is how many writes are left to the operator, and `killed` is cancelled with the last one.
    pub fn new(
        way: &HarborOfPods,
        client: &Client,
        left: &Arc<AtomicU64>,
        killed: &CancellationToken,
    ) -> Self {
        Self { way: way.clone(), client: client.clone(), left: Arc::clone(left), killed: killed.clone() }
    }

    async fn answer(
        self,
        access: Access,
        request: Request<Full<Bytes>>,
    ) -> Result<http::Response<Full<Bytes>>, BoxError> {
        trusted::check(&access, &self.client).await?;
        let last = request.method() != Method::GET && self.left.fetch_sub(1, Ordering::SeqCst) <= 1;
        let answer = self.way.answer(request).await;
        if last || self.killed.is_cancelled() {
            self.killed.cancel();
            std::future::pending::<()>().await;
        }
        answer
    }
}

impl Network for Doomed {
    fn connect(&self, access: &Access) -> Result<harbor::Harbor, Unconnected> {
        let (way, reached) = (self.clone(), access.clone());
        let answer = tower::service_fn(move |request| -> BoxFuture<'static, Result<_, BoxError>> {
            Box::pin(way.clone().answer(reached.clone(), request))
        });
        harbordriver::over(answer, access)
    }
}
