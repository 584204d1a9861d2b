//! Persistence to one file.
