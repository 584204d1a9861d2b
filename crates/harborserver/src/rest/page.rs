//! Pages of lists.

use super::{
    column::{Row, plain},
    received::Received,
    reply::Reply,
};
use crate::failure::Failure;
use http::HeaderName;
use serde_json::Value;
use std::cmp::Ordering;

/// How many rows a page has at most.
const LARGEST_PAGE: i64 = 100;

/// Which part of a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    number: i64,
    /// 0 and less: all rows.
    size: i64,
}

/// The order of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sort(Vec<(String, Direction)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Page {
    pub fn of(request: &Received) -> Result<Self, Failure> {
        let number = request.integer("page")?.unwrap_or(1).max(1);
        let size = request.integer("page_size")?.unwrap_or(10);
        if size > LARGEST_PAGE {
            return Err(Failure::unprocessable("page_size in query should be less than or equal to 100"));
        }
        Ok(Self { number, size })
    }

    /// The rows of this page.
    pub fn cut<T>(self, rows: Vec<T>) -> Vec<T> {
        let Ok(size) = usize::try_from(self.size) else { return rows };
        if size == 0 {
            return rows;
        }
        let skipped = usize::try_from(self.number - 1).unwrap_or(usize::MAX).saturating_mul(size);
        rows.into_iter().skip(skipped).take(size).collect()
    }

    /// The answer with these rows of `total`, and where the pages before and after are.
    pub fn answer(self, request: &Received, total: usize, rows: Vec<Value>) -> Reply {
        let reply = Reply::json(rows).with(HeaderName::from_static("x-total-count"), total.to_string());
        let total = i64::try_from(total).unwrap_or(i64::MAX);
        let mut links = Vec::new();
        if self.size != 0 {
            if self.number > 1 && self.number.saturating_sub(1).saturating_mul(self.size) < total.max(1) {
                links.push(format!("{}; rel=\"prev\"", self.link(request, self.number - 1)));
            }
            if self.number.saturating_mul(self.size) < total {
                links.push(format!("{}; rel=\"next\"", self.link(request, self.number + 1)));
            }
        }
        if links.is_empty() { reply } else { reply.with(http::header::LINK, links.join(" , ")) }
    }

    /// The address of another page. Harbor does not escape the values.
    fn link(self, request: &Received, number: i64) -> String {
        let mut pairs: Vec<(&str, String)> = request
            .query
            .iter()
            .filter(|(key, _)| key != "page" && key != "page_size")
            .map(|(key, value)| (key.as_str(), value.clone()))
            .collect();
        pairs.push(("page", number.to_string()));
        pairs.push(("page_size", self.size.to_string()));
        pairs.sort_by(|one, other| one.0.cmp(other.0));
        let query: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        format!("<{}?{}>", request.path, query.join("&"))
    }
}

impl Sort {
    /// The order that the request asks for, or else the default.
    pub fn of(request: &Received, default: &str) -> Self {
        let asked = request.parameter("sort").filter(|sort| !sort.is_empty());
        Self::parse(asked.unwrap_or(default))
    }

    fn parse(text: &str) -> Self {
        let key = |key: &str| match key.trim().strip_prefix('-') {
            Some(key) => (plain(key), Direction::Down),
            None => (plain(key.trim()), Direction::Up),
        };
        Self(text.split(',').filter(|key| !key.trim().is_empty()).map(key).collect())
    }

    /// Sorts rows. Columns that do not exist are ignored, and equal rows stay as they are.
    pub fn apply<T: Row>(&self, rows: &mut [T]) {
        rows.sort_by(|one, other| {
            let compared = self.0.iter().map(|(key, direction)| {
                let order = match (one.column(key), other.column(key)) {
                    (Some(one), Some(other)) => one.order(&other),
                    _ => Ordering::Equal,
                };
                if *direction == Direction::Up { order } else { order.reverse() }
            });
            compared.fold(Ordering::Equal, Ordering::then)
        });
    }
}

impl Received {
    /// A query parameter that is a whole number.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(text) = self.parameter(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            Failure::unprocessable(&format!("{name} in query must be of type int64: \"{text}\""))
        })
    }

    /// A query parameter that is true or false.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        let Some(text) = self.parameter(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "ok" | "y" | "on" | "selected" | "checked" | "t" | "enabled" => {
                Ok(Some(true))
            }
            "false" | "0" | "no" | "n" | "off" | "f" | "disabled" => Ok(Some(false)),
            _ => Err(Failure::unprocessable(&format!("{name} in query must be of type bool: \"{text}\""))),
        }
    }

    /// A query parameter that must be there.
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        self.parameter(name).ok_or_else(|| Failure::unprocessable(&format!("{name} in query is required")))
    }
}
