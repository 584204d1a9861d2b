//! A watch that stays open during later steps.

use futures::StreamExt as _;
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(30);

/// The events of a watch, as they arrive.
pub struct Watching {
    events: UnboundedReceiver<Value>,
    reader: JoinHandle<()>,
}

impl Watching {
    /// Reads a watch's body from now on.
    pub fn start(body: Body, bookmarks: bool) -> Self {
        let (send, events) = unbounded_channel();
        let reader = tokio::spawn(async move {
            let mut stream = body.into_data_stream();
            let mut line = VecDeque::new();
            while let Some(Ok(chunk)) = stream.next().await {
                for byte in chunk {
                    if byte != b'\n' {
                        line.push_back(byte);
                        continue;
                    }
                    let text: Vec<u8> = line.drain(..).collect();
                    let event: Value = serde_json::from_slice(&text)
                        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()));
                    if (bookmarks || event["type"] != "BOOKMARK") && send.send(event).is_err() {
                        return;
                    }
                }
            }
        });
        Self { events, reader }
    }

    /// The next `count` events, or those that arrive in time.
    pub async fn next(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        while events.len() < count {
            match timeout(TIMEOUT, self.events.recv()).await {
                Ok(Some(event)) => events.push(event),
                Ok(None) | Err(_) => break,
            }
        }
        events
    }

    /// All events until the end of the watch, and whether it ended.
    pub async fn rest(&mut self) -> (Vec<Value>, bool) {
        let mut events = Vec::new();
        loop {
            match timeout(TIMEOUT, self.events.recv()).await {
                Ok(Some(event)) => events.push(event),
                Ok(None) => return (events, true),
                Err(_) => return (events, false),
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.reader.abort();
    }
}
