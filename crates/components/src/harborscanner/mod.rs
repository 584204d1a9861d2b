//! HarborScanner: a scanner adapter that a Harbor uses.
//!
//! Harbor contacts the adapter when it is registered, not when the registration changes. One that does not
//! answer is waited for.
//!
//! Uses: management, secrets.

use crate::{
    management::{self, Policy},
    secrets::Secrets,
};
use api::v1beta1::{self, HarborScannerSpec};
use harborstate::{
    registry::url,
    scanner::{ACCESS_CREDENTIAL, Scanner},
};
use kube::ResourceExt as _;
use plan::{Builder, Children, Component, Conclusion, Connect, External, PlanError, World};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborScanner`].
pub struct HarborScanner;

impl Component for HarborScanner {
    type Owner = v1beta1::HarborScanner;

    const NAME: &'static str = "harborscanner";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::fields_with_id::<Scanner>("uuid", |facts| facts.uuid.into(), conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let write_only = credential(spec, &Secrets::new(world, &namespace))?;
        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let external = management::object(&system, &spec.scanner_name, &scanner(spec))?;
        graph.add::<External>(policy.desired(External { write_only, ..external }), ());
        Ok(())
    }
}

fn scanner(spec: &HarborScannerSpec) -> Scanner {
    Scanner {
        description: Some(spec.description.clone().unwrap_or_default()),
        url: Some(url(&spec.url)),
        auth: Some(spec.auth.unwrap_or_default().as_str().to_owned()),
        skip_cert_verify: Some(spec.skip_cert_verify.unwrap_or_default()),
        use_internal_addr: Some(spec.use_internal_address.unwrap_or_default()),
        disabled: Some(spec.disabled.unwrap_or_default()),
        // Only another scanner can take this away, so nothing but `true` can be desired.
        is_default: spec.default.filter(|is_default| *is_default),
    }
}

fn credential(spec: &HarborScannerSpec, secrets: &Secrets<'_>) -> Result<Map<String, Value>, PlanError> {
    let Some(reference) = &spec.credential_ref else { return Ok(Map::new()) };
    let key = reference.key.as_deref().unwrap_or("credential");
    let value = management::text(secrets, &reference.name, key)?;
    Ok(Map::from_iter([(ACCESS_CREDENTIAL.to_owned(), value.into())]))
}
