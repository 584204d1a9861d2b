//! What collections can be filtered and sorted by.

use jiff::Timestamp;
use std::cmp::Ordering;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Column {
    Text(String),
    Number(i64),
    Flag(bool),
    Time(Option<Timestamp>),
}

/// Something that is listed.
pub(crate) trait Row {
    /// The value of a column, whose name comes in lower case and without underscores.
    fn column(&self, name: &str) -> Option<Column>;
}

impl<T: Row> Row for &T {
    fn column(&self, name: &str) -> Option<Column> {
        (*self).column(name)
    }
}

impl Column {
    /// The value as a query writes it.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Time(time) => time.map(|time| time.to_string()).unwrap_or_default(),
        }
    }

    /// How it compares with a limit of a range.
    pub fn compared(&self, limit: &str) -> Option<Ordering> {
        match self {
            Self::Text(text) => Some(text.as_str().cmp(limit)),
            Self::Number(number) => limit.parse().ok().map(|limit| number.cmp(&limit)),
            Self::Flag(_) => None,
            Self::Time(time) => limit.parse().ok().map(|limit| time.cmp(&Some(limit))),
        }
    }

    /// The order of two rows.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Number(one), Self::Number(other)) => one.cmp(other),
            (Self::Flag(one), Self::Flag(other)) => one.cmp(other),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            _ => Ordering::Equal,
        }
    }
}

/// A column's name as rows know it.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|&letter| letter != '_').collect::<String>().to_ascii_lowercase()
}
