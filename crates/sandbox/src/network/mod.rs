//! Networking: load balancers, endpoints, ingress controllers, gateways.

pub(crate) mod http_route;
pub(crate) mod ingress;
pub(crate) mod service;
