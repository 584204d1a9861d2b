//! Options that a spec keeps in Secrets: of middlewares, of log hooks and of error reporting.
//!
//! Each group is one secret setting that replaces a whole section of the configuration file.

use super::{
    DIRECTORY,
    files::Files,
    settings::{self, Settings},
};
use crate::{
    pods::{directory_mount, secret_volume},
    secrets::{SecretKey, Secrets},
    values::parse_yaml,
};
use api::v1beta1::{
    RegistrySpec,
    registry::{RegistryMiddlewareSpec, RegistryMiddlewaresSpec, log::RegistryLogHookSpec},
};
use plan::{All, PlanError};
use serde_json::{Map, Value, json};

/// Settings, and the files they name.
#[derive(Default)]
pub(super) struct Options {
    /// The settings.
    pub settings: Settings,
    /// The files.
    pub files: Files,
}

impl Options {
    /// All options that a spec refers to.
    pub fn of(spec: &RegistrySpec, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let (middlewares, hooks, reporting) = (
            spec.middlewares.as_ref().map_or_else(|| Ok(Self::default()), |all| middlewares(all, secrets)),
            spec.log.hooks.iter().map(|it| hook(it, secrets)).collect::<Vec<_>>().all(),
            spec.reporting.values().map(|secret| read(secret, secrets)).collect::<Vec<_>>().all(),
        )
            .all()?;
        let services = spec.reporting.keys().cloned().zip(reporting);
        let settings = middlewares
            .settings
            .with_some("REGISTRY_LOG_HOOKS", (!hooks.is_empty()).then_some(hooks))
            .with_some("REGISTRY_REPORTING", section(services.collect()));
        Ok(Self { settings, ..middlewares })
    }
}

fn section(entries: Map<String, Value>) -> Option<Value> {
    (!entries.is_empty()).then_some(Value::Object(entries))
}

fn middlewares(spec: &RegistryMiddlewaresSpec, secrets: &Secrets<'_>) -> Result<Options, PlanError> {
    let kinds = [("registry", &spec.registry), ("repository", &spec.repository), ("storage", &spec.storage)];
    let kinds = kinds.into_iter().filter(|(_, listed)| !listed.is_empty());
    let listed = kinds.map(|(kind, listed)| {
        let each = listed.iter().enumerate();
        let each = each.map(|(index, it)| middleware(it, &format!("{kind}-{index}"), secrets));
        let (listed, files): (Vec<Value>, Vec<Files>) = each.collect::<Vec<_>>().all()?.into_iter().unzip();
        Ok((kind, listed, files))
    });
    let (mut sections, mut all_files) = (Map::new(), Files::default());
    for (kind, listed, files) in listed.collect::<Vec<_>>().all()? {
        sections.insert(kind.to_owned(), listed.into());
        all_files = files.into_iter().fold(all_files, Files::and);
    }
    let settings = Settings::default().with_some("REGISTRY_MIDDLEWARE", section(sections));
    Ok(Options { settings, files: all_files })
}

/// The options of a middleware are always texts. It reads keys from files, so an option with a key becomes the
/// path of a file.
fn middleware(
    spec: &RegistryMiddlewareSpec,
    place: &str,
    secrets: &Secrets<'_>,
) -> Result<(Value, Files), PlanError> {
    let Some(secret) = &spec.options_ref else { return Ok((json!({ "name": spec.name }), Files::default())) };
    let (volume, directory) = (format!("middleware-{place}"), format!("{DIRECTORY}/middleware/{place}"));
    let (mut options, mut keys) = (Map::new(), Vec::new());
    for (name, text) in texts(secret, secrets)? {
        let is_key = text.starts_with("-----BEGIN ");
        options.insert(name.clone(), if is_key { format!("{directory}/{name}") } else { text }.into());
        keys.extend(is_key.then_some(name));
    }
    let files = Files::default();
    let files = if keys.is_empty() {
        files
    } else {
        let items: Vec<_> = keys.iter().map(|key| (key.as_str(), key.as_str())).collect();
        files.with(secret_volume(&volume, secret, &items), directory_mount(&volume, &directory))
    };
    Ok((json!({ "name": spec.name, "options": options }), files))
}

fn hook(spec: &RegistryLogHookSpec, secrets: &Secrets<'_>) -> Result<Value, PlanError> {
    let options = read(&spec.options_ref, secrets)?;
    Ok(json!({ "type": spec.type_, "levels": spec.levels, "options": options }))
}

/// Structured options: each key of the Secret is one option, whose text is parsed as in the configuration file.
fn read(secret: &str, secrets: &Secrets<'_>) -> Result<Value, PlanError> {
    let option = |(name, text): (String, String)| match parse_yaml(&text) {
        Ok(value) => Ok((name, value)),
        Err(fault) => Err(secrets.invalid(&SecretKey::new(secret, &name), fault)),
    };
    let options = texts(secret, secrets)?.into_iter().map(option).collect::<Vec<_>>().all()?;
    Ok(Value::Object(options.into_iter().collect()))
}

fn texts(secret: &str, secrets: &Secrets<'_>) -> Result<Vec<(String, String)>, PlanError> {
    let text = |key: String| settings::text(&SecretKey::new(secret, &key), secrets).map(|text| (key, text));
    secrets.keys(secret)?.into_iter().map(text).collect::<Vec<_>>().all()
}
