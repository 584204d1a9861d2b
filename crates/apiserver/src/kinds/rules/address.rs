//! Addresses and ports for Services.

use crate::{
    failure::Cause,
    kinds::{
        resource::Resource,
        value::{fill, has, items, items_mut, set, text, unset},
    },
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::Ipv4Addr, ops::RangeInclusive};

/// Allocates addresses and node ports.
pub(crate) trait Allocator {
    /// Allocates a free cluster address; None if all are taken.
    fn address(&mut self) -> Option<Ipv4Addr>;
    /// Takes this address.
    fn take_address(&mut self, address: Ipv4Addr) -> Result<(), Refusal>;
    /// Allocates a free node port; None if all are taken.
    fn port(&mut self) -> Option<u16>;
    /// Takes this port.
    fn take_port(&mut self, port: u16) -> Result<(), Refusal>;
}

/// Why an address or port cannot be allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Taken,
    OutOfRange,
}

/// The taken addresses of a network, and the taken ports from 30000 to 32767.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    network: RangeInclusive<u32>,
    taken: BTreeSet<u32>,
    ports: BTreeSet<u16>,
}

/// 10.0.0.0/16, as in the control planes of the tests.
const NETWORK: RangeInclusive<u32> = 0x0a00_0001..=0x0a00_fffe;
const FIRST_PORT: u16 = 30_000;
const LAST_PORT: u16 = 32_767;

impl Default for Addresses {
    fn default() -> Self {
        Self { network: NETWORK, taken: BTreeSet::new(), ports: BTreeSet::new() }
    }
}

impl Addresses {
    /// The same for another network.
    #[cfg(test)]
    pub fn within(self, first: Ipv4Addr, last: Ipv4Addr) -> Self {
        Self { network: first.into()..=last.into(), ..self }
    }

    /// The addresses and ports of these Services. For a change of a Service, pass all others.
    pub fn of<'s>(services: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut all = Self::default();
        for service in services {
            let spec = &service["spec"];
            let addresses = items(spec, "clusterIPs").iter().filter_map(Value::as_str);
            all.taken.extend(addresses.filter_map(|text| text.parse::<Ipv4Addr>().ok()).map(u32::from));
            let ports = items(spec, "ports").iter().map(|port| &port["nodePort"]);
            let ports = ports.chain([&spec["healthCheckNodePort"]]).filter_map(Value::as_u64);
            all.ports.extend(ports.filter_map(|port| u16::try_from(port).ok()));
        }
        all
    }
}

impl Allocator for Addresses {
    fn address(&mut self) -> Option<Ipv4Addr> {
        // The first address is that of the API server itself.
        let free = self.network.clone().skip(1).find(|address| !self.taken.contains(address))?;
        self.taken.insert(free);
        Some(free.into())
    }

    fn take_address(&mut self, address: Ipv4Addr) -> Result<(), Refusal> {
        let address = u32::from(address);
        if !self.network.contains(&address) {
            Err(Refusal::OutOfRange)
        } else if self.taken.insert(address) {
            Ok(())
        } else {
            Err(Refusal::Taken)
        }
    }

    fn port(&mut self) -> Option<u16> {
        let free = (FIRST_PORT..=LAST_PORT).find(|port| !self.ports.contains(port))?;
        self.ports.insert(free);
        Some(free)
    }

    fn take_port(&mut self, port: u16) -> Result<(), Refusal> {
        if !(FIRST_PORT..=LAST_PORT).contains(&port) {
            Err(Refusal::OutOfRange)
        } else if self.ports.insert(port) {
            Ok(())
        } else {
            Err(Refusal::Taken)
        }
    }
}

/// Allocates the addresses and ports that a valid Service lacks, and takes those that it names. Does nothing for other
/// kinds.
pub(crate) fn allocate(
    resource: &Resource,
    object: &mut Value,
    from: &mut impl Allocator,
) -> Result<(), Vec<Cause>> {
    if !resource.is("", "services") {
        return Ok(());
    }
    let Some(spec) = object.get_mut("spec") else { return Ok(()) };
    let kind = text(spec, "type").to_owned();
    if kind == "ExternalName" {
        return Ok(());
    }
    families(spec)?;
    match text(spec, "clusterIP").to_owned().as_str() {
        "None" => {}
        "" => {
            let address = from.address().map(|address| address.to_string()).ok_or_else(|| {
                vec![Cause::invalid("spec.clusterIPs", &Value::Null, "failed to allocate IP: range is full")]
            })?;
            set(spec, "clusterIP", address.clone());
            set(spec, "clusterIPs", json!([address]));
        }
        address => take_address(spec, address, from)?,
    }
    if kind == "NodePort" || kind == "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] != json!(false) {
        ports(spec, from)?;
    }
    if kind == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local" {
        match spec["healthCheckNodePort"].as_u64().and_then(|port| u16::try_from(port).ok()) {
            Some(port) => from
                .take_port(port)
                .map_err(|refusal| vec![port_refused("spec.healthCheckNodePort".into(), port, refusal)])?,
            None => fill(spec, "healthCheckNodePort", from.port()),
        }
    }
    Ok(())
}

fn families(spec: &mut Value) -> Result<(), Vec<Cause>> {
    let headless_without_selector = text(spec, "clusterIP") == "None" && !has(spec, "selector");
    let policy = text(spec, "ipFamilyPolicy");
    if policy == "RequireDualStack" && !headless_without_selector {
        return Err(vec![Cause::invalid(
            "spec.ipFamilyPolicy",
            &spec["ipFamilyPolicy"],
            "this cluster is not configured for dual-stack services",
        )]);
    }
    for (index, family) in items(spec, "ipFamilies").iter().enumerate() {
        if family != "IPv4" && !headless_without_selector {
            let field = format!("spec.ipFamilies[{index}]");
            return Err(vec![Cause::invalid(field, family, "not configured on this cluster")]);
        }
    }
    if headless_without_selector {
        fill(spec, "ipFamilyPolicy", "RequireDualStack");
        let families = if text(spec, "ipFamilyPolicy") == "SingleStack" {
            json!(["IPv4"])
        } else {
            json!(["IPv4", "IPv6"])
        };
        fill(spec, "ipFamilies", families);
    } else {
        fill(spec, "ipFamilyPolicy", "SingleStack");
        fill(spec, "ipFamilies", json!(["IPv4"]));
    }
    Ok(())
}

fn take_address(spec: &Value, address: &str, from: &mut impl Allocator) -> Result<(), Vec<Cause>> {
    // Validation refuses invalid addresses.
    let Ok(parsed) = address.parse() else { return Ok(()) };
    let why = match from.take_address(parsed) {
        Ok(()) => return Ok(()),
        Err(Refusal::Taken) => "provided IP is already allocated",
        Err(Refusal::OutOfRange) => "the provided network does not match the current range",
    };
    let message = format!("failed to allocate IP {address}: {why}");
    Err(vec![Cause::invalid("spec.clusterIPs", &spec["clusterIPs"], message)])
}

fn ports(spec: &mut Value, from: &mut impl Allocator) -> Result<(), Vec<Cause>> {
    let mut seen = BTreeSet::new();
    for (index, port) in items(spec, "ports").iter().enumerate() {
        let Some(number) = port["nodePort"].as_u64().and_then(|number| u16::try_from(number).ok()) else {
            continue;
        };
        // One number may be used for two protocols of the same Service.
        if !seen.insert(number) {
            continue;
        }
        from.take_port(number).map_err(|refusal| {
            vec![port_refused(format!("spec.ports[{index}].nodePort"), number, refusal)]
        })?;
    }
    for port in items_mut(spec, "ports") {
        if port["nodePort"].as_u64().unwrap_or_default() == 0 {
            unset(port, "nodePort");
            fill(port, "nodePort", from.port());
        }
    }
    Ok(())
}

fn port_refused(field: String, port: u16, refusal: Refusal) -> Cause {
    let why = match refusal {
        Refusal::Taken => "provided port is already allocated",
        Refusal::OutOfRange => {
            "provided port is not in the valid range. The range of valid ports is 30000-32767"
        }
    };
    Cause::invalid(field, &port.into(), why)
}

#[cfg(test)]
mod tests {
    use super::{Addresses, allocate};
    use crate::{failure::Cause, kinds::Kinds};
    use serde_json::{Value, json};

    fn allocated(spec: Value, others: &[Value]) -> Result<Value, Vec<Cause>> {
        let services = Kinds::builtin().find("", "v1", "services").expect("services are served");
        let mut service = json!({"spec": spec});
        allocate(&services, &mut service, &mut Addresses::of(others))?;
        Ok(service["spec"].clone())
    }

    #[test]
    fn a_service_gets_the_next_address() {
        let other = json!({"spec": {"clusterIPs": ["10.0.0.2"]}});
        assert_eq!(
            allocated(json!({"type": "ClusterIP"}), &[other]),
            Ok(json!({
                "type": "ClusterIP", "clusterIP": "10.0.0.3", "clusterIPs": ["10.0.0.3"],
                "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            }))
        );
    }

    #[test]
    fn a_headless_service_without_selector_spans_both_families() {
        assert_eq!(
            allocated(json!({"type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"]}), &[]),
            Ok(json!({
                "type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"],
                "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack",
            }))
        );
    }

    #[test]
    fn a_taken_address_and_a_taken_port_are_refused() {
        let other = json!({"spec": {"clusterIPs": ["10.0.0.2"], "ports": [{"nodePort": 30001}]}});
        let refused = |spec| allocated(spec, std::slice::from_ref(&other)).unwrap_err();
        assert_eq!(
            refused(json!({"type": "ClusterIP", "clusterIP": "10.0.0.2", "clusterIPs": ["10.0.0.2"]})),
            [Cause::invalid(
                "spec.clusterIPs",
                &json!(["10.0.0.2"]),
                "failed to allocate IP 10.0.0.2: provided IP is already allocated"
            )]
        );
        assert_eq!(
            refused(json!({"type": "NodePort", "ports": [{"port": 1, "nodePort": 30001}]})),
            [Cause::invalid("spec.ports[0].nodePort", &json!(30001), "provided port is already allocated")]
        );
    }
}
