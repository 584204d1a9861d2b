//! What every Harbor component wants to exist.
