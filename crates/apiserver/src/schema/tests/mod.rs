//! What schemas of built-in and custom kinds must do.

mod builtin;
mod custom;
mod evaluation;
mod laws;
mod structural;
