//! Addresses and ports that the server hands out to Services.

use crate::{kinds::rules::Allocator, state::State};
use std::collections::BTreeSet;

/// Hands out what no Service has.
pub(super) struct Addresses<'a>(pub &'a mut State);

impl Addresses<'_> {
    fn taken_addresses(&self) -> BTreeSet<&str> {
        let services = self.0.store.objects("", "services", None);
        services.filter_map(|service| service["spec"]["clusterIP"].as_str()).collect()
    }

    fn taken_ports(&self) -> BTreeSet<i64> {
        let services = self.0.store.objects("", "services", None);
        let ports = services.flat_map(|service| service["spec"]["ports"].as_array().into_iter().flatten());
        ports.filter_map(|port| port["nodePort"].as_i64()).collect()
    }
}

impl Allocator for Addresses<'_> {
    fn address(&mut self) -> String {
        let taken = self.taken_addresses();
        let free = (0..=u16::MAX).map(|n| [n / 256, n % 256]).map(|[high, low]| format!("10.96.{high}.{low}"));
        // .0 is the network and .1 the API server's own.
        free.skip(2).find(|address| !taken.contains(address.as_str())).unwrap_or_default()
    }

    fn port(&mut self) -> u16 {
        let taken = self.taken_ports();
        (30_000..=32_767).find(|port| !taken.contains(&i64::from(*port))).unwrap_or_default()
    }
}
