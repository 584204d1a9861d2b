//! The `harbor-operator` binary.

fn main() {}
