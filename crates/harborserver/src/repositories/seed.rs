//! Images that are there without having been pushed through a registry.

use super::{Artifact, Repository, Tag};
use crate::{
    entropy::Entropy,
    state::{Data, Id},
    webhooks::{Event, Occurrence},
};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The repository, with its project.
    pub repository: String,
    /// The tag.
    pub tag: String,
    /// The digest of the manifest.
    pub digest: String,
    /// Bytes of the manifest and of all blobs.
    pub size: i64,
}

/// The first part of a repository's name is not the name of a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no project for the repository {0:?}")]
pub struct UnknownProject(String);

/// Who pushes or pulls, and through which address.
pub(crate) struct Sender<'a> {
    pub operator: &'a str,
    /// Host and port of the registry.
    pub host: &'a str,
}

impl Image {
    /// An image of one kilobyte, whose digest is made from its name.
    pub fn new(repository: &str, tag: &str) -> Self {
        let mut digest = "sha256:".to_owned();
        for byte in Sha256::digest(format!("{repository}:{tag}")) {
            // Writing to a String does not fail.
            let _ = write!(digest, "{byte:02x}");
        }
        Self { repository: repository.to_owned(), tag: tag.to_owned(), digest, size: 1024 }
    }
}

impl Data {
    /// Adds an image as a push does: webhooks are triggered, and quotas are not checked.
    pub fn push(
        &mut self,
        image: &Image,
        sender: &Sender<'_>,
        entropy: &mut dyn Entropy,
        now: Timestamp,
    ) -> Result<(), UnknownProject> {
        let project = image.repository.split_once('/').and_then(|(name, _)| self.project_named(name, true));
        let project = project.ok_or_else(|| UnknownProject(image.repository.clone()))?;
        let known =
            self.repositories.find(|repository| repository.name == image.repository).map(|(id, _)| id);
        if known.is_none() {
            self.log(sender.operator, "create", "repository", &image.repository, now);
        }
        let repository = known.unwrap_or_else(|| {
            self.repositories.insert(Repository {
                project,
                name: image.repository.clone(),
                description: String::new(),
                pulls: 0,
                created: now,
                updated: now,
            })
        });
        let mut created = now;
        if let Some(row) = self.repositories.get_mut(repository) {
            row.updated = now;
            created = row.created;
        }
        if self.artifacts.find(|artifact| artifact.digest == image.digest).is_none() {
            self.stored_bytes += image.size;
        }
        let known = self.artifacts.find(|row| row.repository == repository && row.digest == image.digest);
        let known = known.map(|(id, _)| id);
        let artifact = known.unwrap_or_else(|| {
            self.artifacts.insert(Artifact {
                project,
                repository,
                digest: image.digest.clone(),
                size: image.size,
                pushed: now,
                pulled: None,
                labels: Vec::new(),
                scan: None,
            })
        });
        self.tag(repository, artifact, &image.tag, now);
        self.log(sender.operator, "create", "artifact", &format!("{}:{}", image.repository, image.tag), now);
        let occurrence = Occurrence {
            event: Event::Push,
            project,
            operator: sender.operator,
            repository: &image.repository,
            repository_created: created,
            tag: &image.tag,
            digest: &image.digest,
            host: sender.host,
        };
        self.trigger_webhooks(&occurrence, entropy, now);
        Ok(())
    }

    /// Moves a tag to an artifact, or adds it.
    fn tag(&mut self, repository: Id<Repository>, artifact: Id<Artifact>, name: &str, now: Timestamp) {
        let known = self.tags.find(|tag| tag.repository == repository && tag.name == name).map(|(id, _)| id);
        if let Some(tag) = known.and_then(|id| self.tags.get_mut(id)) {
            tag.artifact = artifact;
            tag.pushed = now;
        } else {
            let tag = Tag { repository, artifact, name: name.to_owned(), pushed: now, pulled: None };
            self.tags.insert(tag);
        }
    }

    /// Notes a pull of a tag, if it exists. Harbor does so a few seconds later.
    pub fn pull(&mut self, image: &Image, sender: &Sender<'_>, entropy: &mut dyn Entropy, now: Timestamp) {
        let Image { repository, tag, digest, .. } = image;
        let Some((id, _)) = self.repositories.find(|row| row.name == *repository) else { return };
        let found = self.tags.find(|row| row.repository == id && row.name == *tag);
        let Some((tag_id, artifact)) = found.map(|(id, row)| (id, row.artifact)) else { return };
        let Some(row) = self.repositories.get_mut(id) else { return };
        row.pulls += 1;
        let (project, created) = (row.project, row.created);
        if let Some(row) = self.tags.get_mut(tag_id) {
            row.pulled = Some(now);
        }
        if let Some(row) = self.artifacts.get_mut(artifact) {
            row.pulled = Some(now);
        }
        self.log(sender.operator, "pull", "artifact", &format!("{repository}:{tag}"), now);
        let occurrence = Occurrence {
            event: Event::Pull,
            project,
            operator: sender.operator,
            repository,
            repository_created: created,
            tag,
            digest,
            host: sender.host,
        };
        self.trigger_webhooks(&occurrence, entropy, now);
    }
}
