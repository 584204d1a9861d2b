//! What the administrator of an operator wants for objects that say nothing, and allows to those that ask.

/// What holds for every object that does not say otherwise, and what an object may ask for. An input of every plan, the
/// same for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Registry and path images are pulled from, in place of those they are published under.
    pub image_repository: Option<String>,
    /// What follows the version in the tags of images.
    pub image_tag_suffix: Option<String>,
    /// Whether only those may talk to pods who have to.
    pub network_policies: NetworkPolicies,
    /// Whether an object may ask for pods that reach the node they run on, or the API server.
    pub privileged_pods: PrivilegedPods,
}

/// Whether only those may talk to pods who have to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkPolicies {
    /// So it is.
    Wanted,
    /// Everybody may.
    #[default]
    Unwanted,
}

/// Whether an object may ask for pods that reach the node they run on, or the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivilegedPods {
    /// It may.
    Allowed,
    /// Such an object is refused.
    #[default]
    Refused,
}

/// Nothing is wanted.
pub(crate) static NOTHING: Defaults = Defaults {
    image_repository: None,
    image_tag_suffix: None,
    network_policies: NetworkPolicies::Unwanted,
    privileged_pods: PrivilegedPods::Refused,
};
