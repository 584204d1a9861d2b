//! Identity providers, as far as Harbor tries them.

use crate::{
    call::Call,
    failure::Failure,
    network::Answer,
    rest::{Reply, Shown, go_struct},
    secret::Secret,
};

go_struct! { LdapSettings = "LdapConf" { ldap_url: String, ldap_search_password: Secret } }
go_struct! { OidcEndpoint = "PingOIDCBody" { url: String, verify_cert: bool } }

/// Always 200; a failure is a message without `success`. An empty body tries the stored settings; a body that leaves
/// out the password takes the stored one.
pub(super) fn ping_ldap(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: Option<LdapSettings> = call.optional_body("ldapconf")?;
    call.on_system("configuration", "read")?;
    let stored = |name: &str| call.data.configuration.text(name, call.now);
    let (url, password) = match wanted {
        Some(settings) if !settings.ldap_search_password.is_empty() => {
            (settings.ldap_url, settings.ldap_search_password)
        }
        Some(settings) => (settings.ldap_url, Secret::new(stored("ldap_search_password"))),
        None => (stored("ldap_url"), Secret::new(stored("ldap_search_password"))),
    };
    let failed = |problem: &str| Reply::json(Shown::new().with("message", format!("error: {problem}")));
    if password.is_empty() {
        return Ok(failed("empty password"));
    }
    match call.runtime.network.call(&url, None) {
        Answer::Healthy | Answer::Refused => Ok(Reply::json(Shown::new().with("success", true))),
        Answer::Silent => Ok(failed("ldap server network timeout")),
    }
}

pub(super) fn ping_oidc(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: OidcEndpoint = call.body("endpoint")?;
    call.on_system("configuration", "read")?;
    match call.runtime.network.call(&wanted.url, None) {
        Answer::Healthy | Answer::Refused => Ok(Reply::done()),
        Answer::Silent => Err(Failure::bad_request("failed to verify connection")),
    }
}
