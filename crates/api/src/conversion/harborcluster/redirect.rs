//! Whether clients are sent to the store itself: a setting of the store in v1alpha3, and of all stores in v1beta1.

use super::{ConversionError, Object, STORE, object_in, take, take_object};
use serde_json::{Value, json};

/// Takes the setting out of a spec of v1alpha3, and returns it as in v1beta1.
pub fn raise(spec: &mut Object) -> Result<Option<Value>, ConversionError> {
    let of_store = match object_in(spec, STORE)? {
        Some(store) => take_object(store, "redirect").map_err(|error| error.within(STORE))?,
        None => None,
    };
    // A MinIO wins, and what is said about a store that exists has no effect.
    if let Some(minio) = object_in(spec, "inClusterStorage")? {
        let settings = object_in(minio, "minIOSpec").map_err(|error| error.within("inClusterStorage"))?;
        return Ok(settings.and_then(|settings| take(settings, "redirect")));
    }
    let Some(mut of_store) = of_store else { return Ok(None) };
    match take(&mut of_store, "disable") {
        Some(Value::Bool(disable)) => Ok(Some(json!({"enable": !disable}))),
        None => Ok(Some(json!({}))),
        Some(_) => {
            let error = ConversionError::field("disable", "must be true or false");
            Err(error.within("redirect").within(STORE))
        }
    }
}

/// Puts the setting of v1beta1 into a spec of v1alpha3, beside the store that is there.
///
/// A client of v1alpha3 that removes it from a MinIO gets back one that v1beta1 has in its deprecated place; v1alpha3
/// asks clients to have it.
pub fn lower(redirect: Object, spec: &mut Object) {
    let minio = spec.get_mut("inClusterStorage").and_then(|storage| storage.get_mut("minIOSpec"));
    if let Some(Value::Object(minio)) = minio {
        minio.insert("redirect".to_owned(), redirect.into());
    } else if let Some(Value::Object(store)) = spec.get_mut(STORE) {
        let lowered = match redirect.get("enable") {
            Some(Value::Bool(enable)) => json!({"disable": !enable}),
            _ => json!({}),
        };
        store.insert("redirect".to_owned(), lowered);
    }
}
