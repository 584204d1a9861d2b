//! Preheat instances.

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
    values::secrets,
};
use harbor::{
    Failure, InstanceId,
    preheat::{Instance, NewInstance},
};
use harborstate::preheat_instance::{AUTH_INFO, Facts, PreheatInstance};
use http::StatusCode;
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `preheat-instance`.
pub(crate) struct PreheatInstances;

impl Manage for PreheatInstances {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let instances = client.harbor.preheat_instances().list().await.map_err(system_error)?;
        instances.iter().map(|instance| Ok((instance.name.clone(), state(instance)?))).collect()
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let found = client.harbor.preheat_instances().get(name).await.map_err(system_error)?;
        found.as_ref().map(state).transpose()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let new = sent(wanted, desired(wanted)?, &Instance::default());
        let Err(error) = client.harbor.preheat_instances().create(&new).await else { return Ok(()) };
        // Harbor fails with 500 if the name is taken. After other failures it is unknown whether Harbor created it.
        let may_be_taken = matches!(error.failure(),
            Failure::ServerFailure { status, .. } if *status == StatusCode::INTERNAL_SERVER_ERROR);
        if may_be_taken && Self::find(client, &wanted.collection, &wanted.name).await?.is_some() {
            return Err(SystemError::Exists);
        }
        Err(system_error(error))
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let instance: PreheatInstance = desired(wanted)?;
        let stored = found::<PreheatInstance>(actual)?.state;
        if instance.vendor.is_some() && instance.vendor != stored.vendor {
            return Err(rejected(
                format!("the instance runs {}, which cannot change", stored.vendor.unwrap_or_default()),
                "correct the vendor, or choose another name",
            ));
        }
        // Some versions show the credentials and would lose them otherwise.
        let shown = client.harbor.preheat_instances().get(&wanted.name).await.map_err(system_error)?;
        let shown = shown.unwrap_or_default();
        let new = sent(wanted, instance, &shown);
        client.harbor.preheat_instances().replace(InstanceId(shown.id.0), &new).await.map_err(system_error)
    }

    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        client.harbor.preheat_instances().delete(name).await.map(drop).map_err(system_error)
    }
}

fn state(instance: &Instance) -> Result<Value, SystemError> {
    let state = PreheatInstance {
        description: Some(instance.description.clone()),
        vendor: Some(instance.vendor.clone()),
        endpoint: Some(instance.endpoint.clone()),
        auth_mode: Some(instance.auth_mode.to_string()),
        enabled: Some(instance.enabled),
        is_default: Some(instance.is_default),
        insecure: Some(instance.insecure),
    };
    shown(state, Facts { id: instance.id.0, status: instance.status.clone() })
}

/// The whole instance, since an update replaces it.
fn sent(wanted: &External, instance: PreheatInstance, stored: &Instance) -> NewInstance {
    let auth_info = if wanted.write_only.contains_key(AUTH_INFO) {
        secrets(wanted, AUTH_INFO)
    } else {
        stored.auth_info.clone()
    };
    NewInstance {
        name: wanted.name.clone(),
        description: instance.description.unwrap_or_else(|| stored.description.clone()),
        vendor: instance.vendor.unwrap_or_else(|| stored.vendor.clone()),
        endpoint: instance.endpoint.unwrap_or_else(|| stored.endpoint.clone()),
        auth_mode: instance.auth_mode.map_or_else(|| stored.auth_mode.clone(), Into::into),
        auth_info,
        enabled: instance.enabled.unwrap_or(stored.enabled),
        is_default: instance.is_default.unwrap_or(stored.is_default),
        insecure: instance.insecure.unwrap_or(stored.insecure),
    }
}
