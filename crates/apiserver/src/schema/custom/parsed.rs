//! Schemas that were parsed before.
//!
//! A definition is parsed when it is validated, and again whenever its kinds are served. Servers in one process, as in
//! tests, often have the same definitions.

use super::CustomSchema;
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

/// How many are kept. Further ones are parsed each time.
const MOST: usize = 200;

static PARSED: LazyLock<Mutex<HashMap<Value, CustomSchema>>> =
    // A map that grows computes the hashes of all schemas again.
    LazyLock::new(|| Mutex::new(HashMap::with_capacity(MOST)));

/// The valid schema with this text.
pub(super) fn known(schema: &Value) -> Option<CustomSchema> {
    PARSED.lock().unwrap_or_else(PoisonError::into_inner).get(schema).cloned()
}

/// Keeps a valid schema.
pub(super) fn keep(schema: &Value, valid: &CustomSchema) {
    let mut all = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() < MOST {
        all.insert(schema.clone(), valid.clone());
    }
}
