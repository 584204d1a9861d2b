//! How users reach Harbor through an ingress controller: Ingresses, and the Services behind them.
//!
//! Uses: pods.

mod ingress;
mod ingress_controller;

pub(crate) use self::{
    ingress::{Exposed, check_one_certificate, ingress_path},
    ingress_controller::{exposed_service, port_annotations, service_annotations, service_type},
};
