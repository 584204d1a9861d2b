//! Which image a component runs.

use crate::HarborVersion;
use api::v1beta1::image::{ImageSourceSpec, ImageSpec};

/// The image a spec names; an empty name is none.
pub(crate) fn named(spec: &ImageSpec) -> Option<&str> {
    spec.image.as_deref().filter(|image| !image.is_empty())
}

/// The image a spec names, else the one the Harbor project publishes for `version`.
pub(crate) fn image(spec: &ImageSpec, published: &str, version: &HarborVersion) -> String {
    named(spec).map_or_else(|| format!("goharbor/{published}:v{version}"), ToOwned::to_owned)
}

/// The same image, pulled as the source of all images says where the spec says nothing.
pub(crate) fn pulled(spec: ImageSpec, source: Option<&ImageSourceSpec>) -> ImageSpec {
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
