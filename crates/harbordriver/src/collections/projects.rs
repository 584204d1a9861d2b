//! Projects, with their quotas.

use super::metadata;
use crate::{
    client::Client,
    failure::{Refusals, rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
};
use harbor::{
    Failure, QuotaId,
    allowlists::CveAllowlist,
    projects::{Metadata, MetadataKey, NewProject, Project, ProjectUpdate},
    quotas::{Quota, Storage},
};
use harborstate::{
    cve_allowlist,
    project::{self, Facts, UNLIMITED},
};
use plan::{External, SystemError};
use serde_json::Value;
use std::collections::BTreeMap;

/// The collection `project`.
pub(crate) struct Projects;

impl Manage for Projects {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let projects = client.harbor.projects().list().await.map_err(system_error)?;
        client.index.set_projects(projects.iter().cloned());
        let quotas = match client.harbor.quotas().list().await {
            Ok(quotas) => Some(quotas.into_iter().map(|quota| (quota.reference.id, quota)).collect()),
            // A robot may be allowed to read projects only.
            Err(error) if matches!(error.failure(), Failure::Forbidden(_)) => None,
            Err(error) => return Err(system_error(error)),
        };
        let quotas: Option<BTreeMap<_, _>> = quotas;
        let mut objects = Objects::new();
        for project in &projects {
            let quota = match &quotas {
                Some(quotas) => quotas.get(&project.id).map_or(ShownQuota::None, ShownQuota::Is),
                None => ShownQuota::Hidden,
            };
            let registry = registry_name(client, project).await?;
            objects.insert(project.name.clone(), state(project, quota, registry)?);
        }
        Ok(objects)
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let Some(project) = client.read_project(name).await? else { return Ok(None) };
        let quota = match client.harbor.quotas().of_project(project.id).await {
            Ok(quota) => quota,
            Err(error) if matches!(error.failure(), Failure::Forbidden(_)) => {
                let registry = registry_name(client, &project).await?;
                return state(&project, ShownQuota::Hidden, registry).map(Some);
            }
            Err(error) => return Err(system_error(error)),
        };
        let registry = registry_name(client, &project).await?;
        let quota = quota.as_ref().map_or(ShownQuota::None, ShownQuota::Is);
        state(&project, quota, registry).map(Some)
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let project: project::Project = desired(wanted)?;
        metadata::check(client, &project, project.registry.as_deref().unwrap_or_default()).await?;
        let registry_id = match project.registry.as_deref() {
            None | Some("") => None,
            Some(registry) => Some(client.registry(registry).await?),
        };
        let new = NewProject {
            name: wanted.name.clone(),
            metadata: sent(&project.metadata),
            storage_limit: project.storage_quota.map(limit).transpose()?,
            registry_id,
        };
        client.harbor.projects().create(&new).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let project: project::Project = desired(wanted)?;
        let actual = found::<project::Project>(actual)?;
        let registry = actual.state.registry.unwrap_or_default();
        if project.registry.as_ref().is_some_and(|wanted| *wanted != registry) {
            let now =
                if registry.is_empty() { "no proxy cache" } else { "a proxy cache of another registry" };
            return Err(rejected(
                format!("the project is {now}, which Harbor cannot change"),
                "correct the registry, or delete the project and have it created again",
            ));
        }
        metadata::check(client, &project, &registry).await?;
        let changed = |(key, text): &(&String, &String)| actual.state.metadata.get(*key) != Some(*text);
        let metadata = project.metadata.iter().filter(changed).map(|(k, v)| (k.clone(), v.clone())).collect();
        let allowlist =
            project.cve_allowlist.filter(|list| actual.state.cve_allowlist.as_ref() != Some(list));
        let update = ProjectUpdate { metadata: sent(&metadata), cve_allowlist: allowlist.map(sent_list) };
        let mut refusals = Refusals::default();
        if update != ProjectUpdate::default() {
            let sent = client.harbor.projects().update(&wanted.name, &update).await;
            refusals.note(sent.map_err(system_error))?;
        }
        if let Some(quota) = project.storage_quota.filter(|quota| actual.state.storage_quota != Some(*quota))
        {
            refusals.note(set_quota(client, actual.facts.quota_id, quota).await)?;
        }
        refusals.result()
    }

    async fn empty(client: &Client, name: &str) -> Result<(), SystemError> {
        let project = client.harbor.project(name);
        // Harbor deletes no repository with an immutable tag.
        let rules = project.immutable_rules();
        for rule in rules.list().await.map_err(system_error)? {
            rules.delete(rule.id).await.map(drop).map_err(system_error)?;
        }
        let repositories = project.repositories();
        for repository in repositories.list().await.map_err(system_error)? {
            repositories.delete(&repository).await.map(drop).map_err(system_error)?;
        }
        Ok(())
    }

    async fn delete(client: &Client, name: &str, actual: &Value) -> Result<(), SystemError> {
        let count = found::<project::Project>(actual)?.facts.repository_count;
        if count > 0 {
            let repositories = if count == 1 { "repository" } else { "repositories" };
            return Err(SystemError::NotEmpty {
                problem: format!("the project has {count} {repositories}"),
                remedy: "delete them in Harbor".to_owned(),
            });
        }
        client.index.forget_project(name);
        client.harbor.projects().delete(name).await.map(drop).map_err(system_error)
    }
}

async fn registry_name(client: &Client, project: &Project) -> Result<String, SystemError> {
    let Some(id) = project.registry_id.filter(|id| id.0 != 0) else { return Ok(String::new()) };
    client.registry_name(id).await
}

/// What is known about the quota of a project.
#[derive(Clone, Copy)]
enum ShownQuota<'a> {
    /// This is it.
    Is(&'a Quota),
    /// The project has none, and so no limit.
    None,
    /// The account may not read it.
    Hidden,
}

impl ShownQuota<'_> {
    fn bytes(self) -> Option<i64> {
        match self {
            Self::Is(quota) => match quota.hard.storage {
                Storage::Unlimited => Some(UNLIMITED),
                Storage::Bytes(bytes) => Some(i64::try_from(bytes).unwrap_or(i64::MAX)),
            },
            Self::None => Some(UNLIMITED),
            Self::Hidden => None,
        }
    }

    fn id(self) -> Option<i64> {
        match self {
            Self::Is(quota) => Some(quota.id.0),
            Self::None | Self::Hidden => None,
        }
    }
}

fn state(project: &Project, quota: ShownQuota<'_>, registry: String) -> Result<Value, SystemError> {
    let state = project::Project {
        metadata: project::metadata(project.metadata.iter().map(|(key, text)| (key.as_str(), text))),
        cve_allowlist: Some(cve_allowlist::CveAllowlist {
            cves: project.cve_allowlist.cves.clone(),
            expires_at: project.cve_allowlist.expires_at,
        }),
        storage_quota: quota.bytes(),
        registry: Some(registry),
    };
    let facts = Facts {
        id: project.id.0,
        quota_id: quota.id(),
        repository_count: project.repo_count + project.chart_count,
        owner: project.owner_name.clone(),
    };
    shown(state, facts)
}

fn sent(metadata: &BTreeMap<String, String>) -> Metadata {
    let texts = metadata.iter().map(|(key, text)| (MetadataKey::from(key.as_str()), text));
    texts.fold(Metadata::default(), |all, (key, text)| all.with(key, text))
}

fn sent_list(list: cve_allowlist::CveAllowlist) -> CveAllowlist {
    CveAllowlist { expires_at: list.expires_at, ..CveAllowlist::new(list.cves) }
}

async fn set_quota(client: &Client, quota: Option<i64>, bytes: i64) -> Result<(), SystemError> {
    let Some(quota) = quota else {
        return Err(rejected(
            "the project has no quota, or the account may not read it",
            "leave the quota out, use an account that may read quotas, or have the project created again",
        ));
    };
    client.harbor.quotas().set(QuotaId(quota), limit(bytes)?).await.map_err(system_error)
}

fn limit(bytes: i64) -> Result<Storage, SystemError> {
    Storage::limit(bytes).map_err(|problem| rejected(problem.to_string(), "correct the quota"))
}
