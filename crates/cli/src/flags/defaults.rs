//! Defaults for objects, and what they may request.

use clap::Args;
use plan::{Defaults, NetworkPolicies, PrivilegedPods};

// Set on each flag: the heading of a group would also apply to the flags after the group.
const DEFAULTS: &str = "Defaults for objects";
const ALLOWED: &str = "What objects may request";

/// Defaults for objects, and what they may request.
#[derive(Clone, Debug, Args)]
pub struct DefaultsArgs {
    /// Repository to pull images from, such as registry.example.com/mirror, unless imageSource.repository is set [default:
    /// where Harbor publishes them]
    #[arg(long, help_heading = DEFAULTS, env = "HARBOR_OPERATOR_IMAGE_REPOSITORY", value_name = "REPOSITORY")]
    image_repository: Option<String>,

    /// Suffix of image tags, after the version, unless imageSource.tagSuffix is set [default: none]
    #[arg(long, help_heading = DEFAULTS, env = "HARBOR_OPERATOR_IMAGE_TAG_SUFFIX", value_name = "SUFFIX", allow_hyphen_values = true)]
    image_tag_suffix: Option<String>,

    /// Image of the operator itself, for the pods that repair the database of a Harbor [default: not known, so that they cannot
    /// be requested]
    #[arg(long, help_heading = DEFAULTS, env = "HARBOR_OPERATOR_IMAGE", value_name = "IMAGE")]
    operator_image: Option<String>,

    /// Create network policies that allow only required connections, unless the annotation goharbor.io/network-policies
    /// says otherwise
    #[arg(long, help_heading = DEFAULTS, env = "HARBOR_OPERATOR_NETWORK_POLICIES", value_parser = clap::builder::BoolishValueParser::new())]
    network_policies: bool,

    /// HarborServerConfiguration of objects that name no Harbor [default: the one with spec.default: true]
    #[arg(long, help_heading = DEFAULTS, env = "HARBOR_OPERATOR_HARBOR", value_name = "NAME")]
    harbor: Option<String>,

    /// Allow privileged pods: objects whose volumes or init containers reach the node or the API server, by host paths,
    /// ServiceAccount tokens, root or privileges. A user who may create such an object can then take over the nodes
    #[arg(long, help_heading = ALLOWED, env = "HARBOR_OPERATOR_ALLOW_PRIVILEGED_PODS", value_parser = clap::builder::BoolishValueParser::new())]
    allow_privileged_pods: bool,
}

impl DefaultsArgs {
    /// The values of the flags.
    pub fn defaults(&self) -> Defaults {
        let set = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Defaults {
            image_repository: set(&self.image_repository),
            image_tag_suffix: set(&self.image_tag_suffix),
            operator_image: set(&self.operator_image),
            harbor: set(&self.harbor),
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
