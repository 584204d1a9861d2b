//! Authentication at the registry.

use crate::registry::HTPASSWD_DIRECTORY;
use api::v1beta1::registry::auth::{
    RegistryAuthenticationSpec, RegistryHtPasswdSpec, RegistrySillySpec, RegistryTokenSpec,
};
use plan::PlanError;
use serde::Serialize;

/// Directory of the certificate of the token service. Not under `/root`, which the registry's user cannot read.
pub(in crate::registry) const TOKEN_DIRECTORY: &str = "/etc/registry/token";

/// One way to log in; the registry refuses two.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Auth<'a> {
    HtPasswd { realm: &'a str, path: String },
    Token { realm: &'a str, service: &'a str, issuer: &'a str, rootcertbundle: String, autoredirect: bool },
    Silly { realm: &'a str, service: &'a str },
}

impl<'a> Auth<'a> {
    pub(super) fn of(spec: &'a RegistryAuthenticationSpec) -> Result<Option<Self>, PlanError> {
        let RegistryAuthenticationSpec { ht_passwd, token, silly } = spec;
        let ways = [
            ht_passwd.as_ref().map(Self::ht_passwd),
            token.as_ref().map(Self::token),
            silly.as_ref().map(Self::silly),
        ];
        let mut ways = ways.into_iter().flatten();
        match (ways.next(), ways.next()) {
            (way, None) => Ok(way),
            (_, Some(_)) => Err(PlanError::invalid(
                "spec.authentication",
                "names more than one way to log in",
                "keep one of htPasswd, token and silly",
            )),
        }
    }

    fn ht_passwd(spec: &'a RegistryHtPasswdSpec) -> Self {
        Self::HtPasswd { realm: &spec.realm, path: format!("{HTPASSWD_DIRECTORY}/htpasswd") }
    }

    fn token(spec: &'a RegistryTokenSpec) -> Self {
        Self::Token {
            realm: &spec.realm,
            service: &spec.service,
            issuer: &spec.issuer,
            rootcertbundle: format!("{TOKEN_DIRECTORY}/tls.crt"),
            autoredirect: spec.auto_redirect.unwrap_or(false),
        }
    }

    fn silly(spec: &'a RegistrySillySpec) -> Self {
        Self::Silly { realm: &spec.realm, service: &spec.service }
    }
}
