//! The kinds that describe objects inside a Harbor: an operator with a Harbor in memory, in virtual time.

mod harbor_project;
mod harbor_project_member;
mod harbor_robot;
mod harbor_user;
mod harbor_user_group;
mod server_configuration;
mod world;
