//! A line per change, for logs and pipes.

use super::{News, text::duration};

/// One change in words.
pub fn line(news: &News) -> String {
    let News { at, root, child, condition } = news;
    let child = child.as_ref().map(|child| format!(": {} {}", child.kind, child.name)).unwrap_or_default();
    format!("{:>7}  {root}{child}: {condition}", duration(*at))
}
