//! The pure core: desired state as a function of a spec and of what it reads.
