//! Names and numbers of objects that other objects refer to.

use crate::{client::Client, failure::system_error};
use harbor::{
    Failure, GroupId, RegistryId, Secret, projects::Project, registries::Registry, user_groups::UserGroup,
};
use plan::SystemError;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How long a number counts. After a restore from a backup, another object may have it.
const FRESH: Duration = Duration::from_secs(10);

/// How long names of objects count that are only shown.
const NAMES: Duration = Duration::from_mins(1);

/// How long refused passwords are not sent again.
const REFUSED: Duration = Duration::from_mins(5);

/// User groups by number.
type Groups = BTreeMap<GroupId, UserGroup>;

/// What was last read.
#[derive(Default)]
pub(crate) struct Index {
    projects: Mutex<BTreeMap<String, (Instant, Arc<Project>)>>,
    registries: Mutex<Option<(Instant, Arc<Vec<Registry>>)>>,
    groups: Mutex<Option<(Instant, Arc<Groups>)>>,
    refused: Mutex<Option<(Instant, Secret)>>,
}

impl Index {
    /// Remembers all projects.
    pub(crate) fn set_projects(&self, projects: impl IntoIterator<Item = Project>) {
        let now = Instant::now();
        let projects = projects.into_iter();
        *lock(&self.projects) =
            projects.map(|project| (project.name.clone(), (now, Arc::new(project)))).collect();
    }

    /// Reads names again when they are next asked for.
    pub(crate) fn forget_registries(&self) {
        *lock(&self.registries) = None;
    }

    /// Reads names again when they are next asked for.
    pub(crate) fn forget_groups(&self) {
        *lock(&self.groups) = None;
    }

    /// Remembers that Harbor accepts neither the password of the connection nor this one.
    pub(crate) fn refuse(&self, password: Secret) {
        *lock(&self.refused) = Some((Instant::now(), password));
    }

    /// Whether Harbor has refused this password, and the one of the connection, a few minutes ago. Each attempt locks the
    /// administrator for people too.
    pub(crate) fn has_refused(&self, password: &Secret) -> bool {
        lock(&self.refused).as_ref().is_some_and(|(at, it)| it == password && at.elapsed() < REFUSED)
    }

    /// Looks a project up again when it is next asked for.
    pub(crate) fn forget_project(&self, name: &str) {
        lock(&self.projects).remove(name);
    }
}

impl Client {
    /// The project of this name with its present number.
    pub(crate) async fn project(&self, name: &str) -> Result<Option<Arc<Project>>, SystemError> {
        let known = lock(&self.index.projects).get(name).cloned();
        match known {
            Some((read, project)) if read.elapsed() < FRESH => Ok(Some(project)),
            _ => self.read_project(name).await,
        }
    }

    /// The project of this name as it was when the operator saw it last; its owner never changes.
    pub(crate) async fn known_project(&self, name: &str) -> Result<Option<Arc<Project>>, SystemError> {
        let known = lock(&self.index.projects).get(name).cloned();
        match known {
            Some((_, project)) => Ok(Some(project)),
            None => self.read_project(name).await,
        }
    }

    /// The project of this name as it is now.
    pub(crate) async fn read_project(&self, name: &str) -> Result<Option<Arc<Project>>, SystemError> {
        let found = self.harbor.projects().find(name).await.map_err(system_error)?.map(Arc::new);
        let mut projects = lock(&self.index.projects);
        match &found {
            Some(project) => projects.insert(name.to_owned(), (Instant::now(), Arc::clone(project))),
            None => projects.remove(name),
        };
        drop(projects);
        Ok(found)
    }

    /// The answer to a question about a project; `None` if there is no such project. To accounts that are no
    /// administrators, and to all before 2.6, Harbor answers 403 for a missing project.
    pub(crate) async fn in_project<T>(
        &self,
        project: &str,
        answer: Result<T, harbor::Error>,
    ) -> Result<Option<T>, SystemError> {
        let error = match answer {
            Ok(answer) => return Ok(Some(answer)),
            Err(error) => error,
        };
        let doubtful = matches!(error.failure(), Failure::NotFound(_) | Failure::Forbidden(_));
        if doubtful && self.read_project(project).await?.is_none() {
            return Ok(None);
        }
        Err(system_error(error))
    }

    async fn registries(&self) -> Result<Arc<Vec<Registry>>, SystemError> {
        if let Some((read, registries)) = &*lock(&self.index.registries)
            && read.elapsed() < FRESH
        {
            return Ok(Arc::clone(registries));
        }
        let registries = Arc::new(self.harbor.registries().list().await.map_err(system_error)?);
        *lock(&self.index.registries) = Some((Instant::now(), Arc::clone(&registries)));
        Ok(registries)
    }

    /// The number that the registry endpoint of this name has now.
    pub(crate) async fn registry(&self, name: &str) -> Result<RegistryId, SystemError> {
        self.index.forget_registries();
        let registries = self.registries().await?;
        let found = registries.iter().find(|registry| registry.name == name);
        found.map(|registry| registry.id).ok_or_else(|| crate::failure::missing("registry endpoint", name))
    }

    /// The name of the registry endpoint with this number. One that does not exist has none.
    pub(crate) async fn registry_name(&self, id: RegistryId) -> Result<String, SystemError> {
        let name = |registries: &[Registry]| {
            registries.iter().find(|registry| registry.id == id).map(|registry| registry.name.clone())
        };
        if let Some(name) = name(&self.registries().await?) {
            return Ok(name);
        }
        // It was created a moment ago, or all numbers changed.
        self.index.forget_registries();
        Ok(name(&self.registries().await?).unwrap_or_else(|| format!("#{id}")))
    }

    /// The user groups that the account may see.
    pub(crate) async fn groups(&self) -> Result<Arc<Groups>, SystemError> {
        if let Some((read, groups)) = &*lock(&self.index.groups)
            && read.elapsed() < NAMES
        {
            return Ok(Arc::clone(groups));
        }
        let groups = match self.harbor.user_groups().list().await {
            Ok(groups) => groups,
            Err(error) if matches!(error.failure(), Failure::Forbidden(_)) => Vec::new(),
            Err(error) => return Err(system_error(error)),
        };
        let groups = Arc::new(groups.into_iter().map(|group| (group.id, group)).collect::<Groups>());
        *lock(&self.index.groups) = Some((Instant::now(), Arc::clone(&groups)));
        Ok(groups)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What was last read is whole whatever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
