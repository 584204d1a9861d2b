//! Regular expressions of schemas, each compiled once.
//!
//! The same few patterns occur thousands of times, and compiling one takes longer than everything else about a field.

use regex::Regex;
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

/// How many are kept. Further ones are compiled each time.
const MOST: usize = 1000;

static COMPILED: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// A compiled pattern.
///
/// # Errors
/// If it is invalid.
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
