//! The images of a pod, and the JSON patch that rewrites them.

use super::sources::Chain;
use api::names::{MIRROR_POD_ANNOTATION, REWRITTEN_ANNOTATION};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most warnings in one answer. The API server truncates many.
const MOST_WARNINGS: usize = 5;

/// The fields of a pod that matter.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Pod {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    init_containers: Option<Vec<Container>>,
    containers: Option<Vec<Container>>,
    ephemeral_containers: Option<Vec<Container>>,
    volumes: Option<Vec<Volume>>,
}

#[derive(Debug, Deserialize)]
struct Container {
    #[serde(default)]
    name: String,
    image: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Volume {
    image: Option<ImageVolume>,
}

#[derive(Debug, Deserialize)]
struct ImageVolume {
    reference: Option<String>,
}

/// One operation of a JSON patch.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Operation {
    op: &'static str,
    path: String,
    value: Value,
}

/// What rewriting a pod results in.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rewrite {
    /// How many images are rewritten.
    pub images: usize,
    pub patch: Vec<Operation>,
    pub warnings: Vec<String>,
}

impl Pod {
    /// Whether the pod shows a static pod. The kubelet has its images already, and nothing may change it.
    pub fn is_mirror(&self) -> bool {
        self.metadata.annotations.as_ref().is_some_and(|all| all.contains_key(MIRROR_POD_ANNOTATION))
    }

    /// Rewrites the images of a pod that is created.
    pub fn rewrite(&self, chain: &Chain<'_>) -> Rewrite {
        let mut rewrite = Rewrite::default();
        let Spec { init_containers, containers, ephemeral_containers, volumes } = &self.spec;
        for (list, containers) in [
            ("initContainers", init_containers),
            ("containers", containers),
            ("ephemeralContainers", ephemeral_containers),
        ] {
            for (place, container) in containers.iter().flatten().enumerate() {
                rewrite.image(
                    chain,
                    &["spec", list, &place.to_string(), "image"],
                    container.image.as_deref(),
                );
            }
        }
        for (place, volume) in volumes.iter().flatten().enumerate() {
            let image = volume.image.as_ref().and_then(|image| image.reference.as_deref());
            rewrite.image(chain, &["spec", "volumes", &place.to_string(), "image", "reference"], image);
        }
        if rewrite.images > 0 {
            rewrite.patch.push(self.count(rewrite.images));
        }
        rewrite
    }

    /// Rewrites the images of the ephemeral containers that an update adds. The others run already, and the API server
    /// refuses to change them. It also ignores every other change in such an update, so the pod is not annotated.
    pub fn rewrite_added(&self, chain: &Chain<'_>, old: &Self) -> Rewrite {
        let running = |container: &Container| {
            old.spec.ephemeral_containers.iter().flatten().any(|other| other.name == container.name)
        };
        let mut rewrite = Rewrite::default();
        for (place, container) in self.spec.ephemeral_containers.iter().flatten().enumerate() {
            if !running(container) {
                let path = ["spec", "ephemeralContainers", &place.to_string(), "image"];
                rewrite.image(chain, &path, container.image.as_deref());
            }
        }
        rewrite
    }

    /// The annotation with the number of rewritten images. The API server may review a pod twice, if another webhook adds
    /// a container after the first review.
    fn count(&self, images: usize) -> Operation {
        let annotations = self.metadata.annotations.as_ref();
        let before = annotations.and_then(|all| all.get(REWRITTEN_ANNOTATION)?.parse::<usize>().ok());
        let count = Value::from(images.saturating_add(before.unwrap_or(0)).to_string());
        if annotations.is_some() {
            let key = REWRITTEN_ANNOTATION.replace('/', "~1");
            Operation { op: "add", path: format!("/metadata/annotations/{key}"), value: count }
        } else {
            let all = [(REWRITTEN_ANNOTATION.to_owned(), count)].into_iter().collect();
            Operation { op: "add", path: "/metadata/annotations".to_owned(), value: Value::Object(all) }
        }
    }
}

impl Rewrite {
    fn image(&mut self, chain: &Chain<'_>, path: &[&str], image: Option<&str>) {
        let Some(image) = image.filter(|image| !image.is_empty()) else { return };
        match chain.rewrite(image) {
            Ok(Some(rewritten)) => {
                let path = format!("/{}", path.join("/"));
                self.images += 1;
                self.patch.push(Operation { op: "replace", path, value: rewritten.to_string().into() });
            }
            Err(error) if self.warnings.len() < MOST_WARNINGS => {
                self.warnings.push(format!("{} is not rewritten: {error}", path.join(".")));
            }
            Ok(None) | Err(_) => {}
        }
    }
}
