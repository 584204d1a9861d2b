//! TLS between the pods of a Harbor: each server must have a certificate that each client trusts.

use super::Pods;
use envtest::clock;
use rustls::{
    RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier as _},
    crypto::ring,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use std::{cell::RefCell, collections::BTreeMap, sync::Arc, time::Duration};

/// The parts that connect to others: their Service, their container, and the file with the authorities that they trust.
const CLIENTS: [(&str, &str, &str); 4] = [
    ("core", "core", "/harbor_cust_cert/ca.crt"),
    ("jobservice", "jobservice", "/harbor_cust_cert/ca.crt"),
    ("registry", "registry", "/harbor_cust_cert/ca.crt"),
    ("nginx", "nginx", "/etc/nginx/authority/ca.crt"),
];

/// The parts that serve: their Service, their container, and the file with their certificate.
const SERVERS: [(&str, &str, &str); 5] = [
    ("core", "core", "/etc/core/ssl/tls.crt"),
    ("jobservice", "jobservice", "/etc/jobservice/ssl/tls.crt"),
    ("registry", "registry", "/etc/registry/ssl/tls.crt"),
    ("registryctl", "registryctl", "/etc/registryctl/ssl/tls.crt"),
    ("portal", "portal", "/etc/portal/ssl/tls.crt"),
];

/// The pods that serve over TLS, and that another pod does not trust. Programs read the files when they start, but a file in a
/// mounted directory may have changed before, so each content counts.
pub(super) fn untrusted(pods: &Pods, harbor: &str) -> Vec<String> {
    let all = |(service, container, path): (&'static str, &'static str, &'static str)| {
        let ready = pods.ready(&format!("{harbor}-{service}")).into_iter();
        ready.map(move |pod| (pod.clone(), service, pods.file(&pod, container, path)))
    };
    let servers: Vec<_> = SERVERS.into_iter().flat_map(all).filter(|(.., files)| !files.is_empty()).collect();
    if servers.is_empty() {
        return Vec::new();
    }
    let mut failed = Vec::new();
    for (client, _, trusted) in CLIENTS.into_iter().flat_map(all) {
        for (server, service, certificates) in &servers {
            let name = format!("{harbor}-{service}");
            let accepts =
                |certificate: &Vec<u8>| trusted.iter().all(|file| is_trusted(file, certificate, &name));
            if trusted.is_empty() || !certificates.iter().all(accepts) {
                failed.push(format!("{client} does not trust the certificate of {server}"));
            }
        }
    }
    failed
}

/// Whether a client with these authorities accepts a certificate for a name now.
pub fn is_trusted(authorities: &[u8], certificate: &[u8], name: &str) -> bool {
    type Check = (Vec<u8>, Vec<u8>, String);
    // Each check costs time, and there are few different ones. No certificate expires meanwhile.
    thread_local!(static CHECKED: RefCell<BTreeMap<Check, bool>> = RefCell::default());
    CHECKED.with_borrow_mut(|checked| {
        let entry = checked.entry((authorities.to_vec(), certificate.to_vec(), name.to_owned()));
        *entry.or_insert_with(|| verifies(authorities, certificate, name))
    })
}

fn verifies(authorities: &[u8], certificate: &[u8], name: &str) -> bool {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(authorities) {
        roots.add(authority.unwrap()).unwrap();
    }
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate).map(Result::unwrap).collect();
    let Some((leaf, between)) = chain.split_first() else { return false };
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
    let name = ServerName::try_from(name).unwrap();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(clock().as_second().unsigned_abs()));
    verifier.verify_server_cert(leaf, between, &name, &[], now).is_ok()
}
