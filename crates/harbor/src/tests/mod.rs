//! The crate as a whole: what real Harbors answered, what is known about a server, and answers that make no sense.

mod garbage;
mod recordings;
mod server_info;
