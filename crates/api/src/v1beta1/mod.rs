//! `goharbor.io/v1beta1`: every kind, and the types they share.
//!
//! The JSON shape is a contract with objects stored by the operator's Go predecessor. Names that are misspelt in JSON
//! are spelt right in Rust.

#[macro_use]
mod defaults;
mod pod_fields;

pub mod artifact_selector;
pub mod availability;
pub mod certificates;
pub mod chartmuseum;
pub mod component;
pub mod core;
pub mod creation_policy;
pub mod cron;
pub mod duration;
pub mod exporter;
pub mod expose;
pub mod harbor;
pub mod harbor_target;
pub mod harborcluster;
pub mod harborconfiguration;
pub mod harborpreheatinstance;
pub mod harborproject;
pub mod harborprojectmember;
pub mod harborregistryendpoint;
pub mod harborreplication;
pub mod harborrobot;
pub mod harborscanner;
pub mod harborserverconfiguration;
pub mod harbortask;
pub mod harboruser;
pub mod harborusergroup;
pub mod image;
pub mod installation;
pub mod jobservice;
pub mod label_appearance;
pub mod managed_object;
pub mod metrics;
pub mod name;
pub mod network;
pub mod notary;
pub mod notaryserver;
pub mod notarysigner;
pub mod object_deletion_policy;
pub mod portal;
pub mod postgres;
pub mod probes;
pub mod project_reference;
pub mod proxy;
pub mod pullsecretbinding;
pub mod redis;
pub mod registry;
pub mod registry_access;
pub mod registrycontroller;
pub mod rotation;
pub mod secret_reference;
pub mod service_monitor;
pub mod status;
pub mod storage;
pub mod tls;
pub mod trace;
pub mod trigger;
pub mod trivy;
pub mod upgrade;
pub mod volume;

pub use self::chartmuseum::{ChartMuseum, ChartMuseumSpec};
pub use self::core::{Core, CoreSpec};
pub use self::creation_policy::CreationPolicy;
pub use self::duration::GoDuration;
pub use self::exporter::{Exporter, ExporterSpec};
pub use self::harbor::{Harbor, HarborSpec, HarborStatus};
pub use self::harbor_target::{HarborKind, HarborReference, HarborTarget};
pub use self::harborcluster::{HarborCluster, HarborClusterSpec, HarborClusterStatus};
pub use self::harborconfiguration::{
    HarborConfiguration, HarborConfigurationSpec, HarborConfigurationStatus,
};
pub use self::harborpreheatinstance::{
    HarborPreheatInstance, HarborPreheatInstanceSpec, HarborPreheatInstanceStatus,
};
pub use self::harborproject::{HarborProject, HarborProjectSpec, HarborProjectStatus};
pub use self::harborprojectmember::{
    HarborProjectMember, HarborProjectMemberSpec, HarborProjectMemberStatus,
};
pub use self::harborregistryendpoint::{
    HarborRegistryEndpoint, HarborRegistryEndpointSpec, HarborRegistryEndpointStatus,
};
pub use self::harborreplication::{HarborReplication, HarborReplicationSpec, HarborReplicationStatus};
pub use self::harborrobot::{HarborRobot, HarborRobotSpec, HarborRobotStatus};
pub use self::harborscanner::{HarborScanner, HarborScannerSpec, HarborScannerStatus};
pub use self::harborserverconfiguration::{
    HarborServerConfiguration, HarborServerConfigurationSpec, HarborServerConfigurationStatus,
};
pub use self::harbortask::{HarborTask, HarborTaskSpec, HarborTaskStatus};
pub use self::harboruser::{HarborUser, HarborUserSpec, HarborUserStatus};
pub use self::harborusergroup::{HarborUserGroup, HarborUserGroupSpec, HarborUserGroupStatus};
pub use self::jobservice::{JobService, JobServiceSpec};
pub use self::managed_object::{ManagedObjectStatus, ResolvedHarbor, ResolvedHarborKind};
pub use self::name::ObjectName;
pub use self::notaryserver::{NotaryServer, NotaryServerSpec};
pub use self::notarysigner::{NotarySigner, NotarySignerSpec};
pub use self::object_deletion_policy::ObjectDeletionPolicy;
pub use self::portal::{Portal, PortalSpec};
pub use self::pullsecretbinding::{PullSecretBinding, PullSecretBindingSpec, PullSecretBindingStatus};
pub use self::registry::{Registry, RegistrySpec};
pub use self::registrycontroller::{RegistryController, RegistryControllerSpec};
pub use self::status::{ComponentStatus, Condition, Observation, OperatorStatus};
pub use self::trivy::{Trivy, TrivySpec};
