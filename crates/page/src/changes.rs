//! A stream of events that tells a browser to fetch the page again. The events have no content, only a revision.

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

/// Changes within this time are one event.
const BURST: Duration = Duration::from_millis(250);
/// Interval of keep-alives, by which either side notices that the other is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The longest life of a stream; then the browser connects again.
const LONGEST: Duration = Duration::from_mins(10);
/// The longest time without a read by the browser; then the connection is closed.
const UNREAD: Duration = Duration::from_mins(11);

/// A stream of the changes of one object, or of all. It begins with an event, because a change may precede the stream.
pub(crate) fn changes(page: &Arc<Page>, address: Option<Address>) -> Response {
    let Ok(permit) = Arc::clone(&page.streams).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "10")], "too many clients\n")
            .into_response();
    };
    let (page, stop) = (Arc::clone(page), page.stop.clone());
    let receiver = page.store.changes();
    let numbers = stream::unfold((receiver, None::<Option<u64>>), move |(mut receiver, mut sent)| {
        let (page, address) = (Arc::clone(&page), address.clone());
        async move {
            loop {
                let any = *receiver.borrow_and_update();
                let number = address.as_ref().map_or(Some(any), |address| page.store.revision(address));
                if sent != Some(number) {
                    sent = Some(number);
                    return Some((number, (receiver, sent)));
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
        // Held for the life of the stream.
        let _ = &permit;
        let number = number.map_or_else(|| "gone".to_owned(), |number| number.to_string());
        Ok::<_, Infallible>(Event::default().data(number))
    });
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    (Extension(Streaming(UNREAD)), events).into_response()
}
