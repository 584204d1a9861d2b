//! Which image a component runs.

use super::version::HarborVersion;
use api::v1beta1::image::{ImageSourceSpec, ImageSpec};
use plan::Defaults;

/// Where the Harbor project publishes its images. It includes the host: a container runtime that searches
/// several registries refuses a name without one.
const PUBLISHED: &str = "docker.io/goharbor";

/// A mirror: where images are pulled from instead of where they are published.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mirror {
    repository: Option<String>,
    tag_suffix: Option<String>,
}

impl Mirror {
    /// The mirror that an object names, otherwise the one that the operator was started with.
    pub fn of(said: Option<&ImageSourceSpec>, defaults: &Defaults) -> Self {
        let set = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
        let repository = set(said.and_then(|said| said.repository.as_ref()));
        let tag_suffix = set(said.and_then(|said| said.tag_suffix.as_ref()));
        Self {
            repository: repository.or_else(|| set(defaults.image_repository.as_ref())),
            tag_suffix: tag_suffix.or_else(|| set(defaults.image_tag_suffix.as_ref())),
        }
    }

    /// Whether images are pulled unchanged from where they are published.
    pub fn is_none(&self) -> bool {
        self.repository.is_none() && self.tag_suffix.is_none()
    }

    /// An image; `published` is the repository it is published in.
    pub fn image(&self, published: &str, name: &str, tag: &str) -> String {
        let repository = self.repository.as_deref().unwrap_or(published).trim_end_matches('/');
        format!("{repository}/{name}:{tag}{}", self.tag_suffix.as_deref().unwrap_or_default())
    }

    /// An image of Harbor.
    pub fn harbor(&self, name: &str, version: &HarborVersion) -> String {
        self.image(PUBLISHED, name, &format!("v{version}"))
    }
}

/// The image that a spec names; an empty name counts as not set.
pub(crate) fn named_image(spec: &ImageSpec) -> Option<&str> {
    spec.image.as_deref().filter(|image| !image.is_empty())
}

/// The image, with the pull settings of the image source where its spec sets none.
pub(crate) fn with_pull_settings(spec: ImageSpec, source: Option<&ImageSourceSpec>) -> ImageSpec {
    let Some(source) = source else { return spec };
    let secrets = if spec.image_pull_secrets.is_empty() {
        source.image_pull_secrets.clone()
    } else {
        spec.image_pull_secrets
    };
    ImageSpec {
        image: spec.image,
        image_pull_policy: spec.image_pull_policy.or(source.image_pull_policy),
        image_pull_secrets: secrets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_with_the_host_they_come_from() {
        let version = HarborVersion::parse("2.15.0").unwrap();
        assert_eq!(
            Mirror::default().harbor("harbor-core", &version),
            "docker.io/goharbor/harbor-core:v2.15.0",
            "a runtime that searches several registries refuses shorter names"
        );
    }
}
