//! HarborConfiguration: settings of a running Harbor, its schedules, its CVE allow list and its labels.
//!
//! Only what the spec has is sent: a setting that is absent keeps its value. Several objects may describe the
//! settings of one Harbor, each its own. Deleting an object changes nothing in Harbor, but for labels that say so.
//!
//! Uses: core, management, secrets.

mod checks;
mod labels;
mod legacy_reason;
mod passwords;
mod schedules;
mod settings;

#[cfg(test)]
mod tests;

use crate::{
    management::{self, Legacy, Policy, Server},
    secrets::Secrets,
};
use api::v1beta1::{self, HarborConfigurationSpec, harbor_target::HarborTarget};
use harborstate::{configuration, cve_allowlist};
use kube::ResourceExt as _;
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, External, PlanError, Sharing, Subject,
    System, Verdict, Violation, World,
};
use serde_json::{Map, Value, json};

/// The component behind a [`v1beta1::HarborConfiguration`].
pub struct HarborConfiguration;

impl Component for HarborConfiguration {
    type Owner = v1beta1::HarborConfiguration;

    const NAME: &'static str = "harborconfiguration";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let applied = (*conclusion.verdict == Verdict::Ready).then(|| json!(owner.spec));
        let word = |cause: &Subject| legacy_reason::word(&owner.spec, conclusion.verdict, cause);
        let mut fields = Legacy::fields(conclusion, word);
        fields.extend(management::managed_fields::<configuration::Configuration>(conclusion));
        fields.remove("created");
        fields.extend(management::field("lastConfiguration", applied, conclusion));
        fields
    }

    fn advice(owner: &Self::Owner) -> Vec<Violation> {
        owner.spec.configuration.as_deref().map(checks::advice).unwrap_or_default()
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &target(spec)?, world)?;
        let server = Server::read(&system, world)?;
        let (settings, schedules) = (
            settings(spec, &system, &Secrets::new(world, &namespace), &server),
            schedules::schedules(spec, (&system, &namespace), &server, world),
        )
            .all()?;
        let allowlist = spec.cve_allowlist.as_ref().map(|list| {
            let state = cve_allowlist::CveAllowlist {
                expires_at: list.expires_at.as_ref().map(|time| time.0.as_second()),
                ..cve_allowlist::CveAllowlist::new(&list.items)
            };
            let external = management::object(&system, cve_allowlist::NAME, &state)?;
            Ok::<_, PlanError>(External { described_by: Some("spec.cveAllowlist"), ..external })
        });
        for external in settings.into_iter().chain(schedules).chain(allowlist.transpose()?) {
            graph.add::<External>(Policy::INHERENT.desired(external), ());
        }
        for label in labels::labels(spec, &system)? {
            graph.add::<External>(label, ());
        }
        Ok(())
    }
}

/// The Harbor that any of the three fields names.
fn target(spec: &HarborConfigurationSpec) -> Result<HarborTarget, PlanError> {
    let (harbor_ref, harbor_server_config) = (spec.harbor(), spec.harbor_server_config.clone());
    if harbor_ref.is_none() && harbor_server_config.is_none() {
        return Err(PlanError::invalid(
            "spec.harborRef",
            "is required, or harborServerConfig",
            "name the Harbor that has these settings",
        ));
    }
    Ok(HarborTarget { harbor_ref, harbor_server_config })
}

/// The settings, if the spec has any.
fn settings(
    spec: &HarborConfigurationSpec,
    system: &System,
    secrets: &Secrets<'_>,
    server: &Server,
) -> Result<Option<External>, PlanError> {
    let Some(wanted) = spec.configuration.as_deref() else { return Ok(None) };
    let (state, mut write_only) =
        (settings::settings(wanted), passwords::passwords(wanted, secrets)).all()?;
    let mut external = management::object(system, configuration::NAME, &state)?;
    let mut value = std::mem::take(&mut external.value);
    for settings in [value.as_object_mut(), Some(&mut write_only)].into_iter().flatten() {
        checks::leave_out_mail(settings, server);
    }
    let names = value.as_object().into_iter().flatten().map(|(name, _)| name).chain(write_only.keys());
    if names.clone().next().is_none() {
        return Ok(None);
    }
    (
        checks::are_unlocked(server),
        checks::are_known(names, server),
        checks::are_accepted(&value),
        checks::is_auth_mode_editable(wanted, server),
    )
        .all()?;
    let described_by = Some("spec.configuration");
    Ok(Some(External { value, write_only, sharing: Sharing::Fields, described_by, ..external }))
}
