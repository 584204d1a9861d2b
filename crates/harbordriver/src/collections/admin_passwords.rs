//! The password of the built-in administrator.

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, shown},
    values::secret,
};
use harbor::{Credentials, Error, Failure, Secret, users::Users};
use harborstate::{
    NoFacts,
    admin_password::{AdminPassword, NAME, PASSWORD},
};
use plan::{External, SystemError};
use serde_json::Value;
use std::time::Duration;

/// How long the operator waits after a wrong password. Core locks the user for 1.5 s, even for the right password.
const LOCKED: Duration = Duration::from_secs(2);

/// The collection `admin-password`.
pub(crate) struct AdminPasswords;

impl Manage for AdminPasswords {
    /// Without credentials: they may be the old ones.
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        client.harbor.system().ping().await.map_err(system_error)?;
        Ok([(NAME.to_owned(), state(false)?)].into())
    }

    /// Everything, because there is nothing to read before or after it.
    ///
    /// The password of the connection comes first. It is the right one unless an answer got lost, Harbor was restored or a
    /// user was faster, and a wrong password locks the administrator for people too.
    async fn extend(client: &Client, wanted: &External, _: &Value) -> Result<Option<Value>, SystemError> {
        let Some(new) = secret(wanted, PASSWORD) else {
            return Err(rejected("there is no password", "report this as a defect of the operator"));
        };
        if client.index.has_refused(&new) {
            return Err(neither());
        }
        match client.harbor.users().set_own_password(Users::ADMIN, &new).await {
            Ok(_) => {}
            Err(error) if is_rejected(&error) => log_in(client, new).await?,
            Err(error) => return Err(failed(error)),
        }
        state(true).map(Some)
    }
}

/// Uses the new password from now on, if Harbor has it already.
async fn log_in(client: &Client, new: Secret) -> Result<(), SystemError> {
    tokio::time::sleep(LOCKED).await;
    let credentials = Credentials::new(client.username.clone(), new.expose());
    match client.harbor.acting_as(credentials.clone()).users().current().await {
        Ok(_) => {
            client.harbor.set_credentials(credentials);
            Ok(())
        }
        Err(error) if is_rejected(&error) => {
            client.index.refuse(new);
            Err(neither())
        }
        Err(error) => Err(failed(error)),
    }
}

fn neither() -> SystemError {
    SystemError::Forbidden {
        problem: "Harbor accepts neither the password in the Secret nor the one that it had when the operator last changed it"
            .into(),
        remedy: "write the password that Harbor has into the Secret, and the one that it is to have when this object is ready; \
                 if that password is lost, see docs/rotation.md"
            .into(),
    }
}

fn is_rejected(error: &Error) -> bool {
    matches!(error.failure(), Failure::CredentialsRejected { .. })
}

/// Not [`SystemError::ReadOnly`], with which an object counts as it was before: what depends on this one records that Harbor
/// has the new password.
fn failed(error: Error) -> SystemError {
    match system_error(error) {
        error @ SystemError::ReadOnly(_) => SystemError::Unreachable(error.to_string()),
        error => error,
    }
}

fn state(as_wanted: bool) -> Result<Value, SystemError> {
    shown(AdminPassword { as_wanted }, NoFacts {})
}
