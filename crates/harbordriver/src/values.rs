//! Write-only fields of objects.

use harbor::Secret;
use plan::External;
use serde_json::Value;
use std::collections::BTreeMap;

/// A write-only text.
pub(crate) fn secret(wanted: &External, field: &str) -> Option<Secret> {
    wanted.write_only.get(field).and_then(Value::as_str).map(Secret::from)
}

/// A write-only object of texts.
pub(crate) fn secrets(wanted: &External, field: &str) -> BTreeMap<String, Secret> {
    let fields = wanted.write_only.get(field).and_then(Value::as_object);
    let texts = fields.into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
    texts.map(|(name, text)| (name.clone(), Secret::from(text))).collect()
}
