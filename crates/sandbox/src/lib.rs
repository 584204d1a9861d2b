//! Stand-ins for what a cluster would have.
