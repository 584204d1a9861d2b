//! Operators of PostgreSQL.

pub(crate) mod cloud_native_pg;
pub(crate) mod zalando;
