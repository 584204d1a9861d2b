//! Authorities are trusted as Harbor's images trust them: appended to a bundle with `cat`, one after the other.

use crate::cases::{Case, base64};
use components::{
    chartmuseum::ChartMuseum, core::Core, exporter::Exporter, jobservice::JobService, registry::Registry,
    trivy::Trivy,
};
use plan::Component;
use programs::{Identity, openssl};
use std::process::Command;

/// What `install_cert.sh` of all images does, from Harbor 2.5 to 2.15.
const INSTALL: &str = "
for file in $(find etc/harbor/ssl -maxdepth 2 -name ca.crt); do cat $file >> bundle; done
for file in harbor_cust_cert/*; do cat $file >> bundle; done";

#[test]
fn an_authority_that_ends_without_a_line_break_disables_no_other() {
    let identity = Identity::loopback().unwrap();
    trusts::<Core>("full", &["core"], &identity);
    trusts::<JobService>("full", &["jobservice"], &identity);
    trusts::<Registry>("full", &["registry", "registryctl"], &identity);
    trusts::<Registry>("tls", &["registry", "registryctl"], &identity);
    trusts::<ChartMuseum>("full", &["chartmuseum"], &identity);
    trusts::<Trivy>("tls", &["trivy"], &identity);
    trusts::<Exporter>("full", &["exporter"], &identity);
}

/// Whether containers trust certificates of an authority that is in every Secret, without a trailing line
/// break.
fn trusts<C: Component>(case: &str, containers: &[&str], identity: &Identity) {
    let mut case = Case::<C>::golden(case);
    for data in case.inputs.iter_mut().map(|input| &mut input["data"]) {
        if data.get("ca.crt").is_some() {
            data["ca.crt"] = base64(identity.authority.trim_end().as_bytes());
        }
    }
    for container in containers {
        let site = case.pod().site(container);
        let install = Command::new("sh").args(["-c", INSTALL]).current_dir(site.folder()).status().unwrap();
        assert!(install.success());
        let certificate = site.write("certificate", &identity.certificate).unwrap();
        let (bundle, certificate) = (site.folder().join("bundle"), certificate.to_str().unwrap().to_owned());
        let verified = openssl(["verify", "-CAfile", bundle.to_str().unwrap(), &certificate]);
        assert_eq!(verified.unwrap(), format!("{certificate}: OK\n"), "{} {container}", C::NAME);
    }
}
