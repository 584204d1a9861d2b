//! Lists, page by page.

use super::{Call, decode::decode_value, exchange::Answer};
use crate::error::{Error, Message};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashSet;

/// The largest page that Harbor gives.
const PAGE: usize = 100;
/// The longest list, in pages. A server that claims more is not believed.
const PAGES: u32 = 1000;
/// How often a list is read that changes meanwhile. The last reading counts: a list is never exact for long.
const READINGS: u32 = 3;

impl Call<'_> {
    /// Wants all pages of a list.
    ///
    /// Pages are counted: Harbor's links to the next page are not encoded. If the length changes between two pages, an
    /// object may have moved to a page that was read before, so the list is read again.
    pub(crate) async fn pages<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        for _ in 0..READINGS {
            let reading = self.read().await?;
            items = reading.items;
            if reading.steady {
                break;
            }
        }
        decode_value(items.into()).map_err(|problem| self.unexpected(problem))
    }

    async fn read(&self) -> Result<Reading, Error> {
        let mut reading = Reading { items: Vec::new(), steady: true };
        let mut length = None;
        for number in 1..=PAGES {
            let answer = self.page(number, PAGE).send().await?;
            let page =
                list(&answer).ok_or_else(|| self.unexpected(Message::new("the body is not a list")))?;
            let total = answer.total();
            reading.steady &= length.is_none_or(|length| length == total);
            length = Some(total);
            // A filter may hide objects that are counted, so a page with few of them need not be the last.
            let last = match total {
                Some(total) => u64::from(number) * (PAGE as u64) >= total,
                None => page.len() < PAGE,
            };
            let empty = page.is_empty();
            reading.items.extend(page);
            if last || empty {
                if number > 1 {
                    drop_doubles(&mut reading.items);
                }
                return Ok(reading);
            }
        }
        Err(self.unexpected(Message::new("the list is too long")))
    }
}

struct Reading {
    items: Vec<Value>,
    /// Whether the list kept its length.
    steady: bool,
}

fn list(answer: &Answer) -> Option<Vec<Value>> {
    if answer.body.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    match serde_json::from_slice(&answer.body).ok()? {
        Value::Array(items) => Some(items),
        Value::Null => Some(Vec::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    }
}

/// An object that moved to the next page between two requests is in both.
fn drop_doubles(items: &mut Vec<Value>) {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(item.to_string()));
}
