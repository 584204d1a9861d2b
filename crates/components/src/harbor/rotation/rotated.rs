//! The credentials that can be rotated.

use super::passes::Pass;
use api::v1beta1::{
    GoDuration,
    rotation::{RotationInterval, RotationSpec},
};

/// A credential or a certificate inside a Harbor that the operator generates, and can generate anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Rotated {
    /// The key for uploads that several pods of the registry handle.
    RegistryHttp,
    /// The user of Core and JobService at the registry.
    RegistryCredentials,
    /// The secret with which JobService authenticates.
    JobserviceSecret,
    /// The secret with which Core authenticates.
    CoreSecret,
    /// The key that signs tokens.
    Token,
    /// The key that protects forms.
    Csrf,
    /// The authority of TLS between components.
    InternalTlsAuthority,
    /// The certificates of TLS between components.
    InternalTls,
}

impl Rotated {
    /// Those that `all` stands for: to rotate the others replaces the pods of all components.
    pub const CREDENTIALS: [Self; 6] = [
        Self::RegistryHttp,
        Self::RegistryCredentials,
        Self::JobserviceSecret,
        Self::CoreSecret,
        Self::Token,
        Self::Csrf,
    ];

    /// All of them, in the order in which they are rotated.
    pub const ALL: [Self; 8] = [
        Self::RegistryHttp,
        Self::RegistryCredentials,
        Self::JobserviceSecret,
        Self::CoreSecret,
        Self::Token,
        Self::Csrf,
        Self::InternalTlsAuthority,
        Self::InternalTls,
    ];

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RegistryHttp => "registryHttp",
            Self::RegistryCredentials => "registryCredentials",
            Self::JobserviceSecret => "jobserviceSecret",
            Self::CoreSecret => "coreSecret",
            Self::Token => "token",
            Self::Csrf => "csrf",
            Self::InternalTlsAuthority => "internalTLSAuthority",
            Self::InternalTls => "internalTLS",
        }
    }

    /// The pass in which it is rotated.
    pub const fn pass(self) -> Pass {
        match self {
            Self::RegistryHttp => Pass::RegistryHttp,
            Self::RegistryCredentials => Pass::RegistryCredentials,
            Self::JobserviceSecret | Self::CoreSecret => Pass::JobSecrets,
            Self::Token | Self::Csrf => Pass::CoreKeys,
            Self::InternalTlsAuthority => Pass::InternalTlsAuthority,
            Self::InternalTls => Pass::InternalTls,
        }
    }

    /// How old it may become.
    pub fn interval(self, spec: &RotationSpec) -> Option<&GoDuration> {
        let RotationSpec {
            registry_http,
            registry_credentials,
            jobservice_secret,
            core_secret,
            token,
            csrf,
            internal_tls_authority,
            internal_tls,
            // In `drain`.
            drain_timeout: _,
        } = spec;
        let interval = match self {
            Self::RegistryHttp => registry_http,
            Self::RegistryCredentials => registry_credentials,
            Self::JobserviceSecret => jobservice_secret,
            Self::CoreSecret => core_secret,
            Self::Token => token,
            Self::Csrf => csrf,
            Self::InternalTlsAuthority => internal_tls_authority,
            Self::InternalTls => internal_tls,
        };
        interval.as_ref().map(|RotationInterval { interval }| interval)
    }

    /// The field with the Secret that a user names instead.
    pub const fn field(self) -> &'static str {
        match self {
            Self::RegistryHttp => "spec.registry.httpSecretRef",
            Self::RegistryCredentials => "spec.registry.credentialsRef",
            Self::JobserviceSecret => "spec.jobservice.secretRef",
            Self::CoreSecret => "spec.core.secretRef",
            Self::Token => "spec.core.tokenCertificateRef",
            Self::Csrf => "spec.core.csrfKeyRef",
            Self::InternalTlsAuthority | Self::InternalTls => "spec.internalTLS.certificates",
        }
    }
}
