//! Manages the objects inside a Harbor.
