//! Scanners of vulnerabilities.

use super::registries::address;
use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, Sent, desired, found, shown},
    values::secret,
};
use harbor::scanners::{self as api, NewScanner};
use harborstate::{
    registry::url,
    scanner::{ACCESS_CREDENTIAL, Facts, Scanner},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `scanner`.
pub(crate) struct Scanners;

impl Manage for Scanners {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let scanners = client.harbor.scanners().list().await.map_err(system_error)?;
        scanners.iter().map(|scanner| Ok((scanner.name.clone(), state(scanner)?))).collect()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let new = sent(wanted, desired(wanted)?, &api::Scanner::default())?;
        client.harbor.scanners().create(&new).await.map(drop).map_err(system_error)
    }

    /// The first scanner becomes the default, others do not.
    async fn complete(client: &Client, wanted: &External, actual: &Value) -> Result<Sent, SystemError> {
        match wanted.differences(actual).as_slice() {
            [] => Ok(Sent::Nothing),
            // That is for another scanner to change.
            [only] if only == "is_default" && actual["is_default"] == true => Ok(Sent::Nothing),
            _ => Self::update(client, wanted, actual).await.map(|()| Sent::Something),
        }
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let scanner: Scanner = desired(wanted)?;
        let actual = found::<Scanner>(actual)?;
        let is_default = actual.state.is_default == Some(true);
        if is_default && scanner.is_default == Some(false) {
            return Err(rejected("the scanner is the default", "make another scanner the default"));
        }
        if scanner.disabled == Some(true) && (is_default || scanner.is_default == Some(true)) {
            return Err(rejected(
                "the default scanner cannot be disabled",
                "make another scanner the default first",
            ));
        }
        // Some versions show the credential and want it repeated.
        let stored = client.harbor.scanners().find(&wanted.name).await.map_err(system_error)?;
        let Some(stored) = stored else { return Err(missing("scanner", &wanted.name)) };
        let make_default = scanner.is_default == Some(true) && !is_default;
        let new = sent(wanted, scanner, &stored)?;
        if !new.is_as(&stored) || wanted.write_only.contains_key(ACCESS_CREDENTIAL) {
            client.harbor.scanners().replace(&stored.uuid, &new).await.map_err(|error| {
                match error.failure() {
                    harbor::Failure::Conflict(_) => {
                        rejected("another scanner has this address", "choose another address")
                    }
                    _ => system_error(error),
                }
            })?;
        }
        if make_default {
            client.harbor.scanners().make_default(&stored.uuid).await.map_err(system_error)?;
        }
        Ok(())
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        let uuid = found::<Scanner>(actual)?.facts.uuid;
        client.harbor.scanners().delete(&uuid).await.map(drop).map_err(system_error)
    }
}

fn state(scanner: &api::Scanner) -> Result<Value, SystemError> {
    let state = Scanner {
        description: Some(scanner.description.clone()),
        url: Some(url(&scanner.url)),
        auth: Some(scanner.auth.to_string()),
        skip_cert_verify: Some(scanner.skip_cert_verify),
        use_internal_addr: Some(scanner.use_internal_addr),
        disabled: Some(scanner.disabled),
        is_default: Some(scanner.is_default),
    };
    shown(state, Facts { uuid: scanner.uuid.clone() })
}

/// The whole scanner, since an update replaces it.
fn sent(wanted: &External, scanner: Scanner, stored: &api::Scanner) -> Result<NewScanner, SystemError> {
    let credential = secret(wanted, ACCESS_CREDENTIAL);
    Ok(NewScanner {
        name: wanted.name.clone(),
        description: scanner.description.unwrap_or_else(|| stored.description.clone()),
        url: address(scanner.url.as_deref().unwrap_or(&stored.url))?,
        auth: scanner.auth.map_or_else(|| stored.auth.clone(), Into::into),
        access_credential: credential.unwrap_or_else(|| stored.access_credential.clone()),
        skip_cert_verify: scanner.skip_cert_verify.unwrap_or(stored.skip_cert_verify),
        use_internal_addr: scanner.use_internal_addr.unwrap_or(stored.use_internal_addr),
        disabled: scanner.disabled.unwrap_or(stored.disabled),
    })
}
