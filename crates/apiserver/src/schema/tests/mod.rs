//! Tests of schemas of built-in and custom kinds.

mod builtin;
mod custom;
mod evaluation;
mod laws;
mod structural;
