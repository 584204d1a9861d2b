//! Errors of the credentials in a kubeconfig. No message quotes them.

use super::{
    kubeconfig::{SUBJECT, unreadable},
    problem,
};
use kube::{client::AuthError, config::AuthInfo};
use plan::Violation;
use secrecy::ExposeSecret as _;

/// Refuses a token that cannot be sent; the client would panic.
pub fn check(user: &AuthInfo) -> Result<(), Violation> {
    let Some(token) = &user.token else { return Ok(()) };
    match token.expose_secret() {
        token if token.trim().is_empty() => Err(bad_token("is empty")),
        token if !token.bytes().all(|byte| byte.is_ascii_graphic()) => Err(unsendable_token()),
        _ => Ok(()),
    }
}

/// Explains why there are no credentials, or why they cannot be sent.
pub fn unusable(error: &AuthError) -> Violation {
    match error {
        AuthError::InvalidBearerToken(_) => unsendable_token(),
        AuthError::ReadTokenFile(error, path) => unreadable(path, error),
        AuthError::AuthExecStart(error) => plugin(&format!("cannot be started ({error})")),
        AuthError::AuthExecRun { out, .. } => plugin(&format!("failed ({})", out.status)),
        AuthError::AuthExecParse(_) | AuthError::ExecPluginFailed | AuthError::UnrefreshableTokenResponse => {
            plugin("printed no credentials")
        }
        AuthError::MissingCommand => plugin("is not named"),
        _ => problem(
            SUBJECT,
            "the credentials of its user cannot be used",
            "log in again, or use another user",
        ),
    }
}

fn bad_token(what: &str) -> Violation {
    let remedy = "log in again, or name a kubeconfig whose user has a token";
    problem(SUBJECT, format!("the token of its user {what}"), remedy)
}

fn unsendable_token() -> Violation {
    bad_token("contains a space, a line break or another character that a token cannot have")
}

fn plugin(what: &str) -> Violation {
    let what = format!("the command for credentials (exec) {what}");
    problem(SUBJECT, what, "run that command in a terminal to see why")
}
