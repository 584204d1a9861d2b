//! Settings of the operator's administrator that apply to every object.

/// Defaults for objects that leave a setting out, and limits on what an object may request. Every plan has the same
/// defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Registry and path that images are pulled from, instead of those they are published under.
    pub image_repository: Option<String>,
    /// The suffix of image tags, after the version.
    pub image_tag_suffix: Option<String>,
    /// The operator's own image, for pods that run its program.
    pub operator_image: Option<String>,
    /// Whether NetworkPolicies restrict traffic to the pods.
    pub network_policies: NetworkPolicies,
    /// The HarborServerConfiguration of objects that name no Harbor.
    pub harbor: Option<String>,
    /// Whether an object may request pods that can access their node or the API server.
    pub privileged_pods: PrivilegedPods,
}

/// Whether NetworkPolicies restrict traffic to the pods to the connections that Harbor needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkPolicies {
    /// The operator creates NetworkPolicies.
    Enabled,
    /// The operator creates no NetworkPolicies.
    #[default]
    Disabled,
}

/// Whether an object may request pods that can access their node or the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivilegedPods {
    /// It may request them.
    Allowed,
    /// The operator refuses an object that requests them.
    #[default]
    Refused,
}

/// The defaults when the administrator sets none.
pub(crate) static NOTHING: Defaults = Defaults {
    image_repository: None,
    image_tag_suffix: None,
    operator_image: None,
    harbor: None,
    network_policies: NetworkPolicies::Disabled,
    privileged_pods: PrivilegedPods::Refused,
};
