//! Settings of projects that Harbor would store or drop without a word.

use crate::{
    client::Client,
    failure::{rejected, system_error},
};
use harbor::projects::MetadataKey;
use harborstate::project::{FLAGS, NUMBERS, Project, RETENTION, SEVERITY};
use plan::SystemError;

const SEVERITIES: [&str; 5] = ["none", "low", "medium", "high", "critical"];

/// Refuses settings that Harbor would not keep. `registry` is the endpoint of a proxy cache, or empty.
pub(crate) async fn check(client: &Client, project: &Project, registry: &str) -> Result<(), SystemError> {
    for (key, text) in &project.metadata {
        check_text(key, text)?;
        if NUMBERS.contains(&key.as_str()) && registry.is_empty() && text != "-1" {
            return Err(rejected(
                format!("{key} is a setting of proxy caches, which this project is not"),
                "leave it out, or name the registry that the project is a cache of",
            ));
        }
    }
    let unset = |text: &str| ["false", "-1"].contains(&text);
    let newer =
        ["auto_sbom_generation", "proxy_speed_kb", "max_upstream_conn", "proxy_cache_local_on_not_found"];
    let doubtful: Vec<_> =
        newer.into_iter().filter(|key| project.metadata.get(*key).is_some_and(|text| !unset(text))).collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    let version = client.harbor.server_info().await.map_err(system_error)?.version;
    match doubtful.into_iter().find(|key| !MetadataKey::from(*key).is_in(version)) {
        Some(key) => {
            Err(rejected(format!("Harbor {version} has no setting {key}"), "upgrade Harbor, or leave it out"))
        }
        None => Ok(()),
    }
}

fn check_text(key: &str, text: &str) -> Result<(), SystemError> {
    let (is_right, expected) = match key {
        RETENTION => {
            return Err(rejected(
                "only Harbor changes retention_id",
                "describe the retention policy instead",
            ));
        }
        SEVERITY => (SEVERITIES.contains(&text), "none, low, medium, high or critical"),
        flag if FLAGS.contains(&flag) => (["true", "false"].contains(&text), "true or false"),
        number if NUMBERS.contains(&number) => (text.parse::<i32>().is_ok(), "a number, or -1 for no limit"),
        unknown => {
            return Err(rejected(
                format!("Harbor has no setting {unknown} for projects"),
                "correct its name",
            ));
        }
    };
    if is_right { Ok(()) } else { Err(rejected(format!("{key} is {text:?}"), format!("use {expected}"))) }
}
