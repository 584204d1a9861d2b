//! Which image a component runs.

use crate::HarborVersion;
use api::v1beta1::image::ImageSpec;

/// The image a spec names; an empty name is none.
pub(crate) fn named(spec: &ImageSpec) -> Option<&str> {
    spec.image.as_deref().filter(|image| !image.is_empty())
}

/// The image a spec names, else the one the Harbor project publishes for `version`.
pub(crate) fn image(spec: &ImageSpec, published: &str, version: &HarborVersion) -> String {
    named(spec).map_or_else(|| format!("goharbor/{published}:v{version}"), ToOwned::to_owned)
}
