//! Volumes, claims, storage classes.

use super::{
    AGE, About, NAME, Print, Printer, Row, each,
    reading::{created, deleting, flag, list, name, quantity, text, text_or},
    wide, words,
};
use crate::present::age;
use jiff::Timestamp;
use serde_json::Value;

const BETA_CLASS: &str = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";

pub(super) const PERSISTENT_VOLUMES: Printer = each(
    &[
        NAME,
        words("Capacity", About::Field("api.core.v1.PersistentVolumeSpec", "capacity")),
        words("Access Modes", About::Field("api.core.v1.PersistentVolumeSpec", "accessModes")),
        words(
            "Reclaim Policy",
            About::Field("api.core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy"),
        ),
        words("Status", About::Field("api.core.v1.PersistentVolumeStatus", "phase")),
        words("Claim", About::Field("api.core.v1.PersistentVolumeSpec", "claimRef")),
        words("StorageClass", About::Text("StorageClass of the pv")),
        words("VolumeAttributesClass", About::Text("VolumeAttributesClass of the pv")),
        words("Reason", About::Field("api.core.v1.PersistentVolumeStatus", "reason")),
        AGE,
        wide("VolumeMode", About::Field("api.core.v1.PersistentVolumeSpec", "volumeMode")),
    ],
    |volume, now| {
        let claim = volume.pointer("/spec/claimRef").map_or_else(String::new, |claim| {
            format!("{}/{}", text(claim, "/namespace"), text(claim, "/name"))
        });
        vec![
            name(volume),
            quantity(volume, "/spec/capacity/storage").into(),
            access_modes(list(volume, "/spec/accessModes")).into(),
            text(volume, "/spec/persistentVolumeReclaimPolicy").into(),
            phase(volume).into(),
            claim.into(),
            text_or(volume, BETA_CLASS, text(volume, "/spec/storageClassName")).into(),
            text_or(volume, "/spec/volumeAttributesClassName", "<unset>").into(),
            text(volume, "/status/reason").into(),
            created(volume, now),
            text_or(volume, "/spec/volumeMode", "<unset>").into(),
        ]
    },
);

pub(super) const PERSISTENT_VOLUME_CLAIMS: Printer = each(
    &[
        NAME,
        words("Status", About::Field("api.core.v1.PersistentVolumeClaimStatus", "phase")),
        words("Volume", About::Field("api.core.v1.PersistentVolumeClaimSpec", "volumeName")),
        words("Capacity", About::Field("api.core.v1.PersistentVolumeClaimStatus", "capacity")),
        words("Access Modes", About::Field("api.core.v1.PersistentVolumeClaimStatus", "accessModes")),
        words("StorageClass", About::Text("StorageClass of the pvc")),
        words("VolumeAttributesClass", About::Text("VolumeAttributesClass of the pvc")),
        AGE,
        wide("VolumeMode", About::Field("api.core.v1.PersistentVolumeClaimSpec", "volumeMode")),
    ],
    |claim, now| {
        let volume = text(claim, "/spec/volumeName");
        let (capacity, modes) = if volume.is_empty() {
            (String::new(), String::new())
        } else {
            (quantity(claim, "/status/capacity/storage"), access_modes(list(claim, "/status/accessModes")))
        };
        vec![
            name(claim),
            phase(claim).into(),
            volume.into(),
            capacity.into(),
            modes.into(),
            text_or(claim, BETA_CLASS, text(claim, "/spec/storageClassName")).into(),
            text_or(claim, "/spec/volumeAttributesClassName", "<unset>").into(),
            created(claim, now),
            text_or(claim, "/spec/volumeMode", "<unset>").into(),
        ]
    },
);

fn phase(object: &Value) -> &str {
    if deleting(object) { "Terminating" } else { text(object, "/status/phase") }
}

fn access_modes(modes: &[Value]) -> String {
    let short = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let shown: Vec<&str> = short
        .iter()
        .filter(|(mode, _)| modes.iter().any(|given| given == mode))
        .map(|(_, short)| *short)
        .collect();
    shown.join(",")
}

pub(super) const STORAGE_CLASSES: Printer = Printer {
    heads: &[
        NAME,
        words("Provisioner", About::Field("api.storage.v1.StorageClass", "provisioner")),
        words("ReclaimPolicy", About::Field("api.storage.v1.StorageClass", "reclaimPolicy")),
        words("VolumeBindingMode", About::Field("api.storage.v1.StorageClass", "volumeBindingMode")),
        words("AllowVolumeExpansion", About::Field("api.storage.v1.StorageClass", "allowVolumeExpansion")),
        AGE,
    ],
    print: Print::Rows(storage_classes),
    rows_may_be_unset: false,
};

fn storage_classes(classes: &[&Value], now: Timestamp) -> Vec<Row> {
    let default = default_class(classes);
    classes
        .iter()
        .map(|class| {
            let own = text(class, "/metadata/name");
            let shown = if default == Some(own) { format!("{own} (default)") } else { own.to_owned() };
            Row::plain(vec![
                shown.into(),
                text(class, "/provisioner").into(),
                text_or(class, "/reclaimPolicy", "Delete").into(),
                text_or(class, "/volumeBindingMode", "Immediate").into(),
                flag(class, "/allowVolumeExpansion").into(),
                created(class, now),
            ])
        })
        .collect()
}

/// The class of claims without one: the newest that is marked as default, then the first by name.
fn default_class<'o>(classes: &[&'o Value]) -> Option<&'o str> {
    let marked = |class: &&&Value| {
        ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"]
            .iter()
            .any(|domain| text(class, &format!("/metadata/annotations/{domain}~1is-default-class")) == "true")
    };
    let rank = |class: &&&'o Value| {
        let class: &'o Value = class;
        let born = age::parsed(text(class, "/metadata/creationTimestamp"));
        (born, std::cmp::Reverse(text(class, "/metadata/name")))
    };
    classes.iter().filter(marked).max_by_key(rank).map(|class| text(class, "/metadata/name"))
}
