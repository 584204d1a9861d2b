//! The real binary on real files: exit code, standard output and standard error.

#[cfg(test)]
mod connect;
#[cfg(test)]
mod convert;
#[cfg(test)]
mod crds;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod digests;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod input;
#[cfg(test)]
mod inside_harbor;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod pods;
#[cfg(test)]
mod rbac;
#[cfg(test)]
mod render;
#[cfg(test)]
mod run;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod status_requests;
#[cfg(test)]
mod usage;
#[cfg(test)]
mod version;
