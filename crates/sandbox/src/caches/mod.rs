//! Operators of Redis.

pub(crate) mod opstree;
pub(crate) mod spotahome;
