//! Data that outlives pods: the claims it is on, where it is, and whether it is kept when its owner is deleted.
//!
//! Uses: pods.

mod claims;
mod location;
mod relocation;
mod retention;

pub(crate) use self::{
    claims::{Claims, claim_children},
    location::location_of_images,
    relocation::{DataService, Move, check_moves},
    retention::{installation_retention, retention},
};
