//! Rendered configuration, read by the programs that it is for.
//!
//! Harbor's own programs are not available here: these modules reproduce from their source how they use their
//! settings, and try the result on a real Redis or PostgreSQL. `hack/programs` fetches the programs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

#[path = "../cases/mod.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod cases;
mod databases;
mod front;
mod jobservice;
mod oci;
mod pod;
mod portal;
mod recorder;
mod redis;
mod registry;
mod trust;
mod two_passwords;

use cases::{Case, base64};
use plan::Component;
use pod::Pod;
use programs::Identity;

impl<C: Component> Case<C> {
    /// With a real certificate in every Secret that holds one.
    fn proven_by(mut self, identity: &Identity) -> Self {
        for data in self.inputs.iter_mut().map(|input| &mut input["data"]) {
            if data.get("tls.crt").is_some() {
                data["tls.crt"] = base64(identity.certificate.as_bytes());
                data["tls.key"] = base64(identity.key.as_bytes());
                data["ca.crt"] = base64(identity.authority.as_bytes());
            }
        }
        self
    }

    /// The environment and the files of its pod.
    fn pod(&self) -> Pod {
        let objects: Vec<_> = self.children().into_iter().chain(self.inputs.clone()).collect();
        Pod::of(&objects)
    }
}
