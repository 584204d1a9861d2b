//! TLS of the collector.

use crate::output::Error;
use clap::Args;
use hyper_rustls::ConfigBuilderExt as _;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The TLS files, with the variables of OpenTelemetry.
#[derive(Debug, Default, Args)]
pub struct Trust {
    /// PEM file with the authorities of the collector's certificate [default: those of the system; the image has none]
    #[arg(long = "otlp-certificate", value_name = "FILE", env = "OTEL_EXPORTER_OTLP_CERTIFICATE")]
    pub authority: Option<PathBuf>,

    /// PEM file with the client certificate for the collector
    #[arg(
        long = "otlp-client-certificate",
        value_name = "FILE",
        env = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
        requires = "client_key"
    )]
    pub client_certificate: Option<PathBuf>,

    /// PEM file with the key of the client certificate
    #[arg(
        long = "otlp-client-key",
        value_name = "FILE",
        env = "OTEL_EXPORTER_OTLP_CLIENT_KEY",
        requires = "client_certificate"
    )]
    pub client_key: Option<PathBuf>,
}

impl Trust {
    /// The TLS configuration for the collector at this address.
    pub fn config(&self, endpoint: &str) -> Result<ClientConfig, Error> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                Error::input("--otlp-endpoint", error.to_string(), "report it, this is a bug")
            })?;
        let config = match &self.authority {
            Some(file) => config.with_root_certificates(authorities(file)?),
            None => match config.clone().with_native_roots() {
                Ok(config) => config,
                // Without TLS, no certificate is verified.
                Err(_) if endpoint.starts_with("http://") => {
                    config.with_root_certificates(RootCertStore::empty())
                }
                Err(problem) => {
                    let remedy = "name a file with the certificate of its authority with --otlp-certificate";
                    return Err(Error::input("--otlp-endpoint", problem.to_string(), remedy));
                }
            },
        };
        let (Some(certificate), Some(key)) = (&self.client_certificate, &self.client_key) else {
            return Ok(config.with_no_client_auth());
        };
        let chain = certificates("--otlp-client-certificate", certificate)?;
        let key = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| unreadable("--otlp-client-key", key, &error))?;
        config.with_client_auth_cert(chain, key).map_err(|error| {
            Error::input("--otlp-client-key", error.to_string(), "use the key of --otlp-client-certificate")
        })
    }
}

fn authorities(file: &Path) -> Result<RootCertStore, Error> {
    const FLAG: &str = "--otlp-certificate";
    let mut roots = RootCertStore::empty();
    for certificate in certificates(FLAG, file)? {
        roots.add(certificate).map_err(|error| unreadable(FLAG, file, &error))?;
    }
    Ok(roots)
}

fn certificates(flag: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| unreadable(flag, file, &error))?;
    if found.is_empty() {
        return Err(unreadable(flag, file, &"it contains no certificate"));
    }
    Ok(found)
}

fn unreadable(flag: &str, file: &Path, problem: &dyn std::fmt::Display) -> Error {
    let remedy = "name a file in PEM format that the operator may read";
    Error::input(flag, format!("{}: {problem}", file.display()), remedy)
}
