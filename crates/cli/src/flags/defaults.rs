//! What holds for objects that say nothing, and what objects may ask for.

use clap::Args;
use plan::{Defaults, NetworkPolicies, PrivilegedPods};

// Of each flag: that of a group would also be the heading of what follows the group.
const HEADING: &str = "For objects that say nothing";
const ALLOWED: &str = "What objects may ask for";

/// Flags about what objects leave open, and what they may ask for.
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

    /// Accept objects whose volumes or init containers reach the node or the API server: host paths, tokens of
    /// ServiceAccounts, root, privileges. A user who may create such an object can then take over the nodes
    #[arg(long, help_heading = ALLOWED, env = "HARBOR_OPERATOR_ALLOW_PRIVILEGED_PODS", value_parser = clap::builder::BoolishValueParser::new())]
    allow_privileged_pods: bool,
}

impl DefaultsArgs {
    /// What they say.
    pub fn defaults(&self) -> Defaults {
        let set = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Defaults {
            image_repository: set(&self.image_repository),
            image_tag_suffix: set(&self.image_tag_suffix),
            network_policies: if self.network_policies {
                NetworkPolicies::Enabled
            } else {
                NetworkPolicies::Disabled
            },
            privileged_pods: if self.allow_privileged_pods {
                PrivilegedPods::Allowed
            } else {
                PrivilegedPods::Refused
            },
        }
    }
}
