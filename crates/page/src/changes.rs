//! A stream that tells a browser that there is something new to fetch. What that is, it does not say: the page does.

use crate::{Page, store::Address};
use axum::{
    Extension,
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{StreamExt as _, stream};
use http::{StatusCode, header};
use server::Streaming;
use std::{convert::Infallible, sync::Arc, time::Duration};

/// A burst of changes is one.
const BURST: Duration = Duration::from_millis(250);
/// A browser that is told nothing learns from this that the operator is there, and the operator that the browser is not.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Then the browser asks again.
const LONGEST: Duration = Duration::from_mins(10);
/// Then the connection of a browser that does not read is closed.
const UNREAD: Duration = Duration::from_mins(11);

/// Tells of changes of one object, or of any. The first is told at once: it may have been before somebody listened.
pub(crate) fn changes(page: &Arc<Page>, address: Option<Address>) -> Response {
    let Ok(permit) = Arc::clone(&page.streams).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "10")], "too many look at once\n")
            .into_response();
    };
    let (page, stop) = (Arc::clone(page), page.stop.clone());
    let receiver = page.store.changes();
    let numbers = stream::unfold((receiver, None::<Option<u64>>), move |(mut receiver, mut told)| {
        let (page, address) = (Arc::clone(&page), address.clone());
        async move {
            loop {
                let any = *receiver.borrow_and_update();
                let number = address.as_ref().map_or(Some(any), |address| page.store.revision(address));
                if told != Some(number) {
                    told = Some(number);
                    return Some((number, (receiver, told)));
                }
                receiver.changed().await.ok()?;
                tokio::time::sleep(BURST).await;
            }
        }
    });
    let ended = async move {
        let _ = tokio::time::timeout(LONGEST, stop.cancelled_owned()).await;
    };
    let events = numbers.take_until(Box::pin(ended)).map(move |number| {
        // Held as long as the stream lives.
        let _ = &permit;
        let number = number.map_or_else(|| "gone".to_owned(), |number| number.to_string());
        Ok::<_, Infallible>(Event::default().data(number))
    });
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    (Extension(Streaming(UNREAD)), events).into_response()
}
