//! The instance itself.

use crate::{management, secrets::Secrets};
use api::v1beta1::HarborPreheatInstanceSpec;
use harborstate::preheat_instance::{AUTH_INFO, PreheatInstance};
use plan::{All as _, PlanError};
use serde_json::{Map, Value};

pub(super) fn instance(spec: &HarborPreheatInstanceSpec) -> PreheatInstance {
    PreheatInstance {
        description: Some(spec.description.clone().unwrap_or_default()),
        vendor: Some(spec.vendor.as_str().to_owned()),
        endpoint: Some(spec.endpoint.clone()),
        auth_mode: Some(spec.auth_mode.unwrap_or_default().as_str().to_owned()),
        enabled: Some(spec.enabled.unwrap_or(true)),
        // Another instance takes this away when it becomes the default, so nothing but `true` can be desired.
        is_default: spec.default.filter(|is_default| *is_default),
        insecure: Some(spec.insecure.unwrap_or_default()),
    }
}

/// The keys and values of the Secret, as write-only fields.
pub(super) fn credentials(
    spec: &HarborPreheatInstanceSpec,
    secrets: &Secrets<'_>,
) -> Result<Map<String, Value>, PlanError> {
    let Some(reference) = &spec.auth_info_ref else { return Ok(Map::new()) };
    secrets.filled(&reference.name)?;
    let keys = secrets.keys(&reference.name)?;
    let values = keys.into_iter().map(|key| {
        let value = management::text(secrets, &reference.name, &key)?;
        Ok((key, Value::from(value)))
    });
    let values: Map<String, Value> = values.collect::<Vec<_>>().all()?.into_iter().collect();
    Ok(Map::from_iter([(AUTH_INFO.to_owned(), values.into())]))
}
