//! Claims, volumes and storage classes.

use super::{metadata::named, names, number::one_of_if_set, selector};
use crate::{
    failure::Cause,
    kinds::{
        quantity::Quantity,
        value::{entries, has, items, text},
    },
};
use serde_json::Value;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

pub(super) fn claim_spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    modes(spec, path, "at least 1 access mode is required", causes);
    if has(spec, "selector") {
        selector::selector(&spec["selector"], &format!("{path}.selector"), causes);
    }
    let field = format!("{path}.resources[storage]");
    match spec["resources"]["requests"].get("storage").and_then(Value::as_str) {
        None => causes.push(Cause::required(field, "")),
        Some(size) => positive(size, field, causes),
    }
    let class = text(spec, "storageClassName");
    if !class.is_empty() {
        named(&format!("{path}.storageClassName"), class, names::dns_subdomain, causes);
    }
    one_of_if_set(spec, "volumeMode", path, &["Block", "Filesystem"], causes);
}

pub(super) fn volume(object: &Value, causes: &mut Vec<Cause>) {
    const PLAIN: [&str; 9] = [
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeMode",
        "volumeAttributesClassName",
    ];
    let spec = &object["spec"];
    modes(spec, "spec", "", causes);
    if entries(spec, "capacity").next().is_none() {
        causes.push(Cause::required("spec.capacity", ""));
    }
    match spec["capacity"].get("storage").and_then(Value::as_str) {
        None => causes.push(Cause::not_supported("spec.capacity", &spec["capacity"], &["storage"])),
        Some(size) => positive(size, "spec.capacity[storage]".into(), causes),
    }
    let policies = ["Delete", "Recycle", "Retain"];
    one_of_if_set(spec, "persistentVolumeReclaimPolicy", "spec", &policies, causes);
    let sources =
        spec.as_object().into_iter().flatten().filter(|(field, _)| !PLAIN.contains(&field.as_str()));
    let mut sources = sources.map(|(field, _)| field);
    if sources.next().is_none() {
        causes.push(Cause::required("spec", "must specify a volume type"));
    }
    for extra in sources {
        causes.push(Cause::forbidden(format!("spec.{extra}"), "may not specify more than 1 volume type"));
    }
    one_of_if_set(spec, "volumeMode", "spec", &["Block", "Filesystem"], causes);
}

pub(super) fn class(object: &Value, causes: &mut Vec<Cause>) {
    let provisioner = text(object, "provisioner");
    if !provisioner.is_empty() {
        named("provisioner", &provisioner.to_lowercase(), names::qualified_name, causes);
    }
    let choices: [(&str, &[&str]); 2] = [
        ("reclaimPolicy", &["Delete", "Retain"]),
        ("volumeBindingMode", &["Immediate", "WaitForFirstConsumer"]),
    ];
    for (field, words) in choices {
        if has(object, field) && !words.contains(&text(object, field)) {
            causes.push(Cause::not_supported(field, &object[field], words));
        }
    }
    if provisioner.is_empty() {
        causes.push(Cause::required("provisioner", ""));
    }
}

fn modes(spec: &Value, path: &str, none: &str, causes: &mut Vec<Cause>) {
    let modes = items(spec, "accessModes");
    let path = format!("{path}.accessModes");
    if modes.is_empty() {
        causes.push(Cause::required(&path, none));
    }
    let known = |mode: &&Value| mode.as_str().is_some_and(|mode| MODES.contains(&mode));
    for mode in modes.iter().filter(|mode| !known(mode)) {
        causes.push(Cause::not_supported(&path, mode, &MODES));
    }
    let exclusive = |mode: &&Value| **mode == "ReadWriteOncePod";
    if modes.iter().any(|mode| exclusive(&mode)) && modes.iter().filter(known).any(|mode| !exclusive(&mode)) {
        causes.push(Cause::forbidden(path, "may not use ReadWriteOncePod with other access modes"));
    }
}

fn positive(size: &str, path: String, causes: &mut Vec<Cause>) {
    if size.parse::<Quantity>().is_ok_and(|quantity| quantity.nanos() <= 0) {
        causes.push(Cause::invalid(path, &size.into(), "must be greater than zero"));
    }
}
