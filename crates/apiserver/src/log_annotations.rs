//! Where the log of a container is kept, as there is no kubelet that has it.

/// The annotation of a pod with this prefix and the name of a container is that container's log: of its last run that has
/// ended, or of the present one if none has. The stand-in of a kubelet writes it.
pub const LOG_ANNOTATIONS: &str = "log.apiserver.internal/";
