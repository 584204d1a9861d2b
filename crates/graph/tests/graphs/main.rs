//! Graphs are drawn and run.

mod dags;
mod drawing;
mod laws;
mod running;
