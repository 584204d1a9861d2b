//! What clients such as `docker` ask a Harbor: a token, the entrance of the registry, and a manifest. Nothing of it changes
//! anything, and Harbor counts none of it as a pull.

use super::repositories::Repository;
use crate::{
    Harbor, Secret,
    client::Path,
    error::{Error, Message},
};
use serde::Deserialize;

impl Harbor {
    /// What clients such as `docker` ask.
    pub fn clients(&self) -> Clients<'_> {
        Clients { harbor: self }
    }
}

/// Calls that clients make.
#[derive(Clone, Copy, Debug)]
pub struct Clients<'h> {
    harbor: &'h Harbor,
}

/// An artifact of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The repository, with its project.
    pub repository: String,
    /// The digest of its manifest.
    pub digest: String,
}

/// A token, which Core signs.
#[derive(Deserialize)]
struct Token {
    #[serde(default)]
    token: Secret,
}

#[derive(Deserialize)]
struct Artifact {
    digest: String,
}

/// The service that Core issues tokens for.
const SERVICE: &str = "harbor-registry";

/// Among how many repositories an image is looked for.
const MOST: u32 = 10;

impl Clients<'_> {
    /// A token of the account, which may pull from this repository. Fails if it is empty: some keys have Harbor answer so.
    pub async fn token(&self, repository: Option<&str>) -> Result<Secret, Error> {
        let call = || {
            let call = self.harbor.get(Path::outside("/service/token")).query("service", SERVICE);
            match repository {
                Some(repository) => call.query("scope", format_args!("repository:{repository}:pull")),
                None => call,
            }
        };
        let Token { token } = call().json().await?;
        if token.is_empty() {
            return Err(call().unexpected(Message::new("the token is empty")));
        }
        Ok(token)
    }

    /// Enters the registry with a token.
    pub async fn enter(&self, token: &Secret) -> Result<(), Error> {
        self.harbor.get(Path::outside("/v2/")).with_token(token).done().await
    }

    /// Asks for a manifest with a token, which Core gets from the registry.
    pub async fn see(&self, image: &Image, token: &Secret) -> Result<(), Error> {
        let path = image.repository.split('/').fold(Path::outside("/v2"), Path::name);
        self.harbor.head(path.then("manifests").digest(&image.digest)).with_token(token).done().await
    }

    /// Any image that is in this Harbor, and not in another one for which a project is a cache.
    pub async fn any_image(&self) -> Result<Option<Image>, Error> {
        let found: Vec<Repository> =
            self.harbor.get(Path::new("/repositories")).query("page_size", MOST).json().await?;
        let mut others = Vec::new();
        for repository in found.into_iter().filter(|repository| repository.artifact_count > 0) {
            let Some((project, name)) = repository.name.split_once('/') else { continue };
            if others.iter().any(|other| other == project) {
                continue;
            }
            let is_cache =
                self.harbor.projects().get(project).await?.is_none_or(|it| it.registry_id.is_some());
            if is_cache {
                others.push(project.to_owned());
                continue;
            }
            let path = self.harbor.project(project).path("repositories").repository(name).then("artifacts");
            let artifacts: Vec<Artifact> = self.harbor.get(path).query("page_size", 1).json().await?;
            if let Some(Artifact { digest }) = artifacts.into_iter().next() {
                return Ok(Some(Image { repository: repository.name, digest }));
            }
        }
        Ok(None)
    }
}
