//! Texts from Secrets that are sent to a Harbor.

use crate::{
    secrets::{SecretKey, Secrets},
    values::{Fault, not_empty},
};
use plan::PlanError;

/// The text under a key of a Secret. A line end at its end is not part of it: an editor added it to the file that became a
/// Secret.
pub(crate) fn text(secrets: &Secrets<'_>, secret: &str, key: &str) -> Result<String, PlanError> {
    let key = SecretKey::new(secret, key);
    let value = secrets.value(&key)?;
    let text = String::from_utf8(value.bytes().to_vec()).map_err(|_| {
        secrets.invalid(&key, Fault::new("is no text", "store the value as text in UTF-8, encoded once"))
    })?;
    let text = text.trim_end_matches(['\r', '\n']);
    not_empty(text.as_bytes()).map_err(|fault| secrets.invalid(&key, fault))?;
    Ok(text.to_owned())
}
