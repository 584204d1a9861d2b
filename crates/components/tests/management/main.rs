//! The kinds that describe objects inside a Harbor: an operator with a Harbor in memory, in virtual time.

mod harbor_project;
mod server_configuration;
mod task;
mod world;
