//! A dependency graph that cannot contain a cycle, and the runner that walks it.
