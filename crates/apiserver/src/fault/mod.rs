//! Faults on purpose: a layer that makes a good server behave as a bad network does.
