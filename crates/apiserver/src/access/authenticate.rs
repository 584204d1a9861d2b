//! Authentication: the user of a request, from its client certificate or bearer token.

use super::tokens::{ServiceAccounts, Tokens};
use super::{Access, User};
use crate::failure::Failure;
use crate::serve::ClientCertificate;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use jiff::Timestamp;

/// The user that `headers` or the certificate of the connection prove. With open access, a request without
/// proof is from the administrator.
pub(crate) fn authenticate(
    access: Access,
    headers: &HeaderMap,
    certificate: Option<&ClientCertificate>,
    tokens: &Tokens,
    accounts: &dyn ServiceAccounts,
    now: Timestamp,
) -> Result<User, Failure> {
    if let Some(certificate) = certificate {
        return Ok(User::authenticated(certificate.common_name.clone(), certificate.organizations.clone()));
    }
    let token = bearer_token(headers);
    match (token.map(|token| tokens.user(token, accounts, now)), access) {
        (Some(Ok(user)), _) => Ok(user),
        (_, Access::Open) => Ok(User::admin()),
        (Some(Err(_)), Access::Rbac) => Err(Failure::unauthorized()),
        (None, Access::Rbac) => Ok(User::anonymous()),
    }
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
