//! New secrets of robots. The old one is worth nothing from then on.

use super::{
    Robot,
    read::{found, missing},
};
use crate::{
    call::Call,
    entropy,
    failure::Failure,
    rest::{Reply, go_struct},
    secret::Secret,
    state::Id,
    version::Change,
};
use serde_json::json;

go_struct! { SecretRequest = "RobotSec" { secret: Secret } }

/// Takes the secret that the body holds, or makes one up and shows it.
pub(super) fn refresh(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Robot> = call.id("robot_id")?;
    let wanted: SecretRequest = call.body("robotSec")?;
    found(call, id, "update")?;
    let (secret, shown) = if wanted.secret.is_empty() {
        let made = entropy::secret(&mut *call.runtime.entropy);
        (Secret::new(made.as_str()), json!({ "secret": made }))
    } else {
        check(call, &wanted.secret)?;
        (wanted.secret, json!({}))
    };
    let now = call.now;
    let robot = call.data.robots.get_mut(id).ok_or_else(|| missing(id))?;
    robot.secret = secret;
    robot.updated = now;
    Ok(Reply::json(shown))
}

fn check(call: &Call<'_>, secret: &Secret) -> Result<(), Failure> {
    let limited = call.has(Change::LimitsSecrets);
    if secret.is_strong(limited.then_some(128)) {
        return Ok(());
    }
    let length = if limited { "be 8-128, inclusively, characters long" } else { "longer than 8 chars" };
    Err(Failure::bad_request(format!(
        "the secret must {length} with at least 1 uppercase letter, 1 lowercase letter and 1 number"
    )))
}
