//! Sentences about Harbor.
