//! The version of Harbor that a component belongs to.

use super::image;
use api::names::VERSION_ANNOTATION;
use api::v1beta1::image::ImageSpec;
use plan::PlanError;
use std::{collections::BTreeMap, fmt};

const ANNOTATION_FIELD: &str = "metadata.annotations[harbor.goharbor.io/version]";

/// A version of Harbor that this operator can run: 2.5 to 2.15.
///
/// The text is kept as written, because image tags are made from it. Features change with minor releases only;
/// whether an upgrade is allowed also depends on the patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarborVersion {
    text: String,
    release: Release,
}

/// Major and minor number of a version.
pub(crate) type Minor = (u32, u32);

/// Major, minor and patch number of a version.
pub(crate) type Release = (u32, u32, u32);

impl HarborVersion {
    pub(crate) const OLDEST: Minor = (2, 5);
    const NEWEST: Minor = (2, 15);

    /// The oldest and the newest minor release this operator can run.
    pub fn supported() -> (String, String) {
        let text = |(major, minor): Minor| format!("{major}.{minor}");
        (text(Self::OLDEST), text(Self::NEWEST))
    }

    /// Reads `2.15.0`, `v2.15.0` or `2.15.0-rc1`; any patch release of a supported minor release.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        Self::parsed(text, ANNOTATION_FIELD)
    }

    fn parsed(text: &str, field: &str) -> Result<Self, PlanError> {
        let invalid = |problem: String, remedy: &str| PlanError::invalid(field, problem, remedy);
        let text = text.strip_prefix('v').unwrap_or(text);
        let release @ (major, minor, _) = number(text).ok_or_else(|| {
            invalid(
                format!("{text:?} is not a version of Harbor"),
                "write it as three numbers, such as 2.15.0",
            )
        })?;
        if (major, minor) < Self::OLDEST {
            return Err(invalid(
                format!("Harbor {text} is older than 2.5, the oldest this operator can run"),
                "upgrade to Harbor 2.5 with the operator that installed it, then hand over",
            ));
        }
        if (major, minor) > Self::NEWEST {
            let (major, minor) = Self::NEWEST;
            return Err(invalid(
                format!("Harbor {text} is newer than {major}.{minor}, the newest this operator knows"),
                "upgrade the operator first",
            ));
        }
        Ok(Self { text: text.to_owned(), release })
    }

    /// The supported versions, for messages.
    pub fn range() -> String {
        let ((major, minor), (newest_major, newest_minor)) = (Self::OLDEST, Self::NEWEST);
        format!("{major}.{minor} to {newest_major}.{newest_minor}")
    }

    /// A published release.
    pub(crate) fn released(release @ (major, minor, patch): Release) -> Self {
        Self { text: format!("{major}.{minor}.{patch}"), release }
    }

    /// The version that a Harbor's spec names.
    pub(crate) fn parse_spec(text: &str) -> Result<Self, PlanError> {
        Self::parsed(text, "spec.version")
    }

    /// The version that the annotation of an object names.
    ///
    /// It may be absent where the spec names an image: the operator then assumes the newest supported version.
    pub(crate) fn of(
        annotations: Option<&BTreeMap<String, String>>,
        spec: &ImageSpec,
    ) -> Result<Self, PlanError> {
        let annotation = annotations.and_then(|annotations| annotations.get(VERSION_ANNOTATION));
        match (annotation, image::named_image(spec)) {
            (Some(text), _) => Self::parse(text),
            (None, Some(_)) => {
                let (major, minor) = Self::NEWEST;
                Ok(Self { text: format!("{major}.{minor}.0"), release: (major, minor, 0) })
            }
            (None, None) => Err(PlanError::invalid(
                ANNOTATION_FIELD,
                "is missing, so no image can be chosen",
                "set it to the version of Harbor, such as 2.15.0, or set spec.image",
            )),
        }
    }

    /// Which minor release it belongs to.
    pub(crate) const fn minor(&self) -> Minor {
        (self.release.0, self.release.1)
    }

    /// The release; a pre-release such as `2.15.0-rc1` counts as its release.
    pub(crate) const fn release(&self) -> Release {
        self.release
    }
}

impl fmt::Display for HarborVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The numbers of `major.minor.patch[-anything]`; the whole must also be usable as an image tag.
fn number(text: &str) -> Option<Release> {
    let usable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let (release, _) = text.split_once('-').unwrap_or((text, ""));
    let mut parts = release.split('.').map(|part| part.parse().ok());
    match (parts.next()?, parts.next()?, parts.next()?, parts.next()) {
        (Some(major), Some(minor), Some(patch), None) if text.chars().all(usable) => {
            Some((major, minor, patch))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minors_are_compared_as_numbers() {
        assert!(
            HarborVersion::parse("2.15.2").unwrap().minor() > HarborVersion::parse("2.9.5").unwrap().minor()
        );
    }

    #[test]
    fn patch_releases_need_no_release_of_ours_but_minor_releases_do() {
        assert!(HarborVersion::parse("2.15.99").is_ok());
        for newer in ["2.16.0", "3.0.0"] {
            let error = HarborVersion::parse(newer).unwrap_err().to_string();
            assert!(
                error.contains("newer than 2.15") && error.ends_with("upgrade the operator first"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_version_keeps_what_its_image_tag_needs() {
        assert_eq!(HarborVersion::parse("v2.14.0-rc1").unwrap().to_string(), "2.14.0-rc1");
    }

    #[test]
    fn a_version_too_old_is_refused_with_a_way_forward() {
        let error = HarborVersion::parse("2.4.3").unwrap_err().to_string();
        assert!(error.contains("older than 2.5") && error.contains("upgrade to Harbor 2.5"), "{error}");
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "latest", "2", "2.15", "2.15.x", "2.15.0.1", "2.15.0-rc 1", "2.15.0-ä"] {
            assert!(HarborVersion::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_annotation_an_image_is_taken_to_be_the_newest_and_no_image_is_an_error() {
        let custom = ImageSpec { image: Some("example/core:mine".into()), ..ImageSpec::default() };
        assert_eq!(HarborVersion::of(None, &custom).unwrap().to_string(), "2.15.0");
        let error = HarborVersion::of(None, &ImageSpec::default()).unwrap_err().to_string();
        assert!(error.starts_with("metadata.annotations[harbor.goharbor.io/version]: is missing"), "{error}");
    }
}
