//! Reading settings.

use super::{
    keys::{Kind, keys},
    update,
};
use crate::{
    access::Identity,
    call::Call,
    failure::Failure,
    rest::{Reply, Route},
};
use serde_json::{Map, Value, json};

/// The endpoints of settings.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/configurations", read),
    Route::put("/configurations", update::update),
    Route::get("/internalconfig", read_all),
];

fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("configuration", "read")?;
    let mut shown = Map::new();
    for key in keys(call.version()).filter(|key| key.kind != Kind::Password) {
        let value = call.data.configuration.get(key.name, call.now);
        let editable = is_editable(call, key.name);
        shown.insert(key.name.to_owned(), json!({ "value": value, "editable": editable }));
    }
    // A left-over: neither value nor editable.
    shown.insert("scan_all_policy".to_owned(), json!({}));
    Ok(Reply::json(Value::Object(shown)))
}

/// Everything, passwords included. Only other components of the same Harbor may read it.
fn read_all(call: &mut Call<'_>) -> Result<Reply, Failure> {
    match call.identity {
        Identity::Component => {}
        Identity::Anonymous | Identity::User { .. } | Identity::Robot { .. } => {
            return Err(Failure::unauthorized());
        }
    }
    let all = call.data.configuration.all(call.version(), call.now);
    let shown: Map<String, Value> = all
        .into_iter()
        .map(|(name, value)| {
            (name.to_owned(), json!({ "value": value, "editable": is_editable(call, name) }))
        })
        .collect();
    Ok(Reply::json(Value::Object(shown)))
}

fn is_editable(call: &Call<'_>, name: &str) -> bool {
    call.runtime.installation.configuration_overwrite.is_none()
        && (name != "auth_mode" || !call.data.has_other_users())
}
