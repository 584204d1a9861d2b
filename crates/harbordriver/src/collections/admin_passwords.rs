//! The password of the built-in administrator.

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, Start, shown},
    values::secret,
};
use harbor::{Credentials, Error, Failure, users::Users};
use harborstate::{
    NoFacts,
    admin_password::{AdminPassword, NAME, OLD_PASSWORD, PASSWORD},
};
use plan::{External, SystemError};
use serde_json::Value;
use std::time::Duration;

/// How long the operator waits after a wrong password. Core locks the user for 1.5 s, even for the right password.
const LOCKED: Duration = Duration::from_secs(2);

/// The collection `admin_password`.
pub(crate) struct AdminPasswords;

impl Manage for AdminPasswords {
    const UPDATES: Start = Start::Known;

    /// Anonymously: a list with a wrong password would lock the administrator.
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        client.harbor.system().ping().await.map_err(system_error)?;
        Ok([(NAME.to_owned(), shown(AdminPassword {}, NoFacts {})?)].into())
    }

    /// The old password comes first: it is the right one unless an answer got lost or Harbor was restored, and a wrong
    /// password locks the administrator for people too.
    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let (Some(new), Some(old)) = (secret(wanted, PASSWORD), secret(wanted, OLD_PASSWORD)) else {
            return Err(rejected("there is no password", "report this as a defect of the operator"));
        };
        harbor::users::check_password(new.expose()).map_err(|problem| {
            rejected(format!("the password in the Secret {problem}"), harbor::users::PASSWORD_RULES)
        })?;
        log_in(client, old.expose());
        match client.harbor.users().set_password(Users::ADMIN, &new, Some(&old)).await {
            Ok(_) => {
                log_in(client, new.expose());
                return Ok(());
            }
            Err(error) if !is_rejected(&error) => return Err(failed(error)),
            Err(_) => tokio::time::sleep(LOCKED).await,
        }
        log_in(client, new.expose());
        match client.harbor.users().current().await {
            Ok(_) => Ok(()),
            Err(error) if is_rejected(&error) => Err(SystemError::Forbidden {
                problem: "Harbor accepts neither the password in the Secret nor the one before".into(),
                remedy: "write the password that Harbor has into the Secret; once the operator logs in with it, write the one \
                         that Harbor is to have"
                    .into(),
            }),
            Err(error) => Err(failed(error)),
        }
    }
}

fn log_in(client: &Client, password: &str) {
    client.harbor.set_credentials(Credentials::new(NAME, password));
}

fn is_rejected(error: &Error) -> bool {
    matches!(error.failure(), Failure::CredentialsRejected { .. })
}

/// Not [`SystemError::ReadOnly`], with which an object counts as it was before: what depends on this one records that Harbor
/// has the new password.
fn failed(error: Error) -> SystemError {
    match system_error(error) {
        SystemError::ReadOnly(problem) => SystemError::Unreachable(format!(
            "{problem}; the operator continues when it accepts changes again"
        )),
        error => error,
    }
}
