//! Keys of Secrets that specs refer to: planning reads and validates the values, and pods get them by reference.
//!
//! Uses: values.

mod key;
mod read;

pub(crate) use self::{
    key::SecretKey,
    read::{SecretValue, Secrets},
};
