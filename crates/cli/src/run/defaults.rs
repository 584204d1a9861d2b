//! What holds for objects that say nothing.

use clap::Args;
use plan::{Defaults, NetworkPolicies};

// Of each flag: that of a group would also be the heading of what follows the group.
const HEADING: &str = "For objects that say nothing";

/// Flags about what objects leave open.
#[derive(Clone, Debug, Args)]
pub struct DefaultsArgs {
    /// Where to pull images from, such as registry.example.com/mirror, unless imageSource.repository says so [default:
    /// where they are published]
    #[arg(long, help_heading = HEADING, env = "HARBOR_OPERATOR_IMAGE_REPOSITORY", value_name = "REPOSITORY")]
    image_repository: Option<String>,

    /// What follows the version in the tags of images, unless imageSource.tagSuffix says so [default: nothing]
    #[arg(long, help_heading = HEADING, env = "HARBOR_OPERATOR_IMAGE_TAG_SUFFIX", value_name = "SUFFIX", allow_hyphen_values = true)]
    image_tag_suffix: Option<String>,

    /// Let only those talk to pods who have to, unless the annotation goharbor.io/network-policies says otherwise
    #[arg(long, help_heading = HEADING, env = "HARBOR_OPERATOR_NETWORK_POLICIES", value_parser = clap::builder::BoolishValueParser::new())]
    network_policies: bool,
}

impl DefaultsArgs {
    /// What they say.
    pub fn defaults(&self) -> Defaults {
        let set = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Defaults {
            image_repository: set(&self.image_repository),
            image_tag_suffix: set(&self.image_tag_suffix),
            network_policies: if self.network_policies {
                NetworkPolicies::Wanted
            } else {
                NetworkPolicies::Unwanted
            },
        }
    }
}
