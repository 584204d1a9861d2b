//! The digest of the Secrets and ConfigMaps that the pods of a workload use.

use super::ensure::Applier;
use crate::{ReconcileError, cluster::api_of, error::Verb};
use api::names::INPUTS_ANNOTATION;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube::{Api, Client, core::DynamicObject};
use plan::{Content, ContentDigests, CountedValues, Digest, DigestKey, KNOWN_LATER, ObjectKey, References};
use serde_json::Value;

/// How digests of inputs are computed.
#[derive(Clone, Copy)]
pub(crate) enum DigestSource<'a> {
    /// With the operator's key.
    Key(&'a DigestKey),
    /// Without the key, because a dry run may not read it.
    Unknown {
        /// A client for the real state of the cluster, without the changes of the dry run.
        cluster: &'a Client,
    },
}

/// The digest in the annotation of a stored workload, and a digest of its inputs that can be compared without the key.
struct Stamped {
    text: String,
    comparable: Digest,
}

impl Applier<'_> {
    /// The digest of the inputs of a workload, as text for the annotation.
    ///
    /// Without the key, this is the stored digest if the stored workload has the same inputs, because the operator
    /// computed it from those.
    pub(super) async fn inputs_digest(
        &self,
        workload: &ObjectKey,
        references: &References,
        counted: &CountedValues,
    ) -> Result<String, ReconcileError> {
        let contents = counted.in_place(self.contents(references).await?);
        match self.digest_source {
            DigestSource::Key(key) => Ok(references.digest(key, workload, &contents)?.to_string()),
            DigestSource::Unknown { cluster } => {
                let comparable = references.digest(&DigestKey::PLACEHOLDER, workload, &contents)?;
                let stamped = self.stamped(cluster, workload, counted).await?;
                let same = stamped.filter(|stamped| stamped.comparable == comparable);
                Ok(same.map_or_else(|| KNOWN_LATER.to_owned(), |stamped| stamped.text))
            }
        }
    }

    async fn stamped(
        &self,
        cluster: &Client,
        workload: &ObjectKey,
        counted: &CountedValues,
    ) -> Result<Option<Stamped>, ReconcileError> {
        let Some(stored) = self.stored_in(cluster, workload).await? else { return Ok(None) };
        let template = stored.pointer("/spec/template").cloned().unwrap_or_default();
        let Ok(template) = serde_json::from_value::<PodTemplateSpec>(template) else { return Ok(None) };
        let annotations = template.metadata.as_ref().and_then(|metadata| metadata.annotations.as_ref());
        let text = annotations.and_then(|annotations| annotations.get(INPUTS_ANNOTATION)).cloned();
        let Some(text) = text else { return Ok(None) };
        let references = References::of(&workload.namespace, &template);
        let mut contents = ContentDigests::new();
        for key in references.keys() {
            let content = self.stored_in(cluster, key).await?.as_ref().map(Content::of);
            contents.insert(key.clone(), content);
        }
        let contents = counted.in_place(contents);
        let comparable = references.digest(&DigestKey::PLACEHOLDER, workload, &contents).ok();
        Ok(comparable.map(|comparable| Stamped { text, comparable }))
    }

    async fn stored_in(&self, cluster: &Client, key: &ObjectKey) -> Result<Option<Value>, ReconcileError> {
        let resource = self.cluster.resource(key)?;
        let api: Api<DynamicObject> = api_of(cluster, resource, key)?;
        let stored =
            api.get_opt(&key.name).await.map_err(|error| ReconcileError::api(Verb::Read, key, error))?;
        stored.map(serde_json::to_value).transpose().map_err(|error| ReconcileError::Bug(error.to_string()))
    }
}
