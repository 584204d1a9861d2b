//! Regular expressions of schemas, each compiled once.
//!
//! The same few patterns stand in thousands of places, and to compile one takes longer than all else about its place.

use regex::Regex;
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

/// How many are kept. Those beyond are compiled in each place.
const MOST: usize = 1000;

static COMPILED: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// A pattern, compiled.
///
/// # Errors
/// Where it is none.
pub(super) fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = all.get(pattern) {
        return Ok(regex.clone());
    }
    let regex = Regex::new(pattern)?;
    if all.len() < MOST {
        all.insert(pattern.to_owned(), regex.clone());
    }
    Ok(regex)
}
