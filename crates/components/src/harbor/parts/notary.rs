//! Notary's server and signer.

use super::super::{
    certificates, credentials::Credentials, databases::Database, part::Part, validated::Validated,
};
use api::v1beta1::{
    self, NotaryServerSpec, NotarySignerSpec,
    installation::{HarborLogLevel, components::HarborNotarySpec},
    notary::{NotaryLogLevel, NotaryLoggingSpec, NotaryStorageSpec},
    notaryserver::{
        NotaryKeyAlgorithm, NotaryServerAuthenticationSpec, NotaryServerRemoteSignerSpec,
        NotaryServerTokenSpec, NotaryServerTrustServiceSpec,
    },
    notarysigner::{NotarySignerAuthenticationSpec, NotarySignerStorageSpec},
};

/// The port of the signer.
const SIGNER_PORT: i64 = 7899;

/// The server, if the user requests Notary.
pub(in super::super) fn notary_server(
    harbor: &Validated<'_>,
    credentials: &Credentials,
) -> Option<v1beta1::NotaryServer> {
    let HarborNotarySpec { server, signer: _, migration_enabled } = harbor.installation.notary.as_ref()?;
    let spec = NotaryServerSpec {
        component: harbor.pods(Part::NotaryServer, server.as_ref()),
        trust_service: NotaryServerTrustServiceSpec {
            remote: Some(NotaryServerRemoteSignerSpec {
                host: harbor.child(Part::NotarySigner.name()),
                port: SIGNER_PORT,
                key_algorithm: NotaryKeyAlgorithm::default(),
                certificate_ref: Some(certificates::notary_server_secret(harbor)),
            }),
        },
        storage: Some(NotaryStorageSpec { postgres: harbor.database(Database::NotaryServer) }),
        authentication: Some(NotaryServerAuthenticationSpec {
            token: NotaryServerTokenSpec {
                realm: format!("{}/service/token", harbor.external_url()),
                service: "harbor-notary".into(),
                issuer: "harbor-token-issuer".into(),
                certificate_ref: credentials.token.name(),
                auto_redirect: true,
            },
        }),
        migration_enabled: Some(*migration_enabled),
        logging: Some(NotaryLoggingSpec { level: level(harbor.installation.log_level) }),
        tls: harbor.tls(Part::NotaryServer),
        network: harbor.installation.network.clone(),
    };
    Some(v1beta1::NotaryServer { metadata: harbor.exposed_metadata(), spec, status: None })
}

/// The signer, if the user requests Notary.
pub(in super::super) fn notary_signer(
    harbor: &Validated<'_>,
    credentials: &Credentials,
) -> Option<v1beta1::NotarySigner> {
    let HarborNotarySpec { server: _, signer, migration_enabled } = harbor.installation.notary.as_ref()?;
    let spec = NotarySignerSpec {
        component: harbor.pods(Part::NotarySigner, signer.as_ref()),
        authentication: NotarySignerAuthenticationSpec {
            certificate_ref: certificates::notary_signer_secret(harbor),
        },
        storage: NotarySignerStorageSpec {
            storage: NotaryStorageSpec { postgres: harbor.database(Database::NotarySigner) },
            aliases_ref: credentials.notary_aliases.name(),
        },
        migration_enabled: Some(*migration_enabled),
        logging: Some(NotaryLoggingSpec { level: level(harbor.installation.log_level) }),
        network: harbor.installation.network.clone(),
    };
    Some(v1beta1::NotarySigner { metadata: harbor.component_metadata(), spec, status: None })
}

const fn level(level: HarborLogLevel) -> NotaryLogLevel {
    match level {
        HarborLogLevel::Debug => NotaryLogLevel::Debug,
        HarborLogLevel::Info => NotaryLogLevel::Info,
        HarborLogLevel::Warning => NotaryLogLevel::Warning,
        HarborLogLevel::Error => NotaryLogLevel::Error,
        HarborLogLevel::Fatal => NotaryLogLevel::Fatal,
    }
}
