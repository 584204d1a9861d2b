//! Connections, as many as are good for the operator.

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Most connections at once; a browser has six.
const CONNECTIONS: usize = 128;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long answers under way may take when the operator stops.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long to wait where the system has no room for another connection.
const RECOVERY: Duration = Duration::from_millis(200);

/// Serves until `stop` is cancelled.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        match stop.run_until_cancelled(accepted).await {
            None => break,
            Some((Ok(place), Ok((stream, _)))) => {
                let (router, stop) = (router.clone(), stop.clone());
                connections.spawn(async move {
                    answer(stream, router, stop).await;
                    drop(place);
                });
            }
            Some(_) => tokio::time::sleep(RECOVERY).await,
        }
        while connections.try_join_next().is_some() {}
    }
    let farewell = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}

async fn answer(stream: TcpStream, router: Router, stop: CancellationToken) {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(ARRIVAL);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    tokio::select! {
        // Whoever hangs up has seen enough.
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
