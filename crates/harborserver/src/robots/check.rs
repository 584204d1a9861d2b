//! Which robots are refused.

use super::permission::PermissionRequest;
use crate::{
    access::is_known,
    failure::Failure,
    version::{Change, Version},
};

/// What a robot can do something in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    System,
    Project,
}

impl Level {
    fn named(name: &str) -> Option<Self> {
        match name {
            "system" => Some(Self::System),
            "project" => Some(Self::Project),
            _ => None,
        }
    }
}

/// The days that a robot shall live, of which 0 stands for the configured ones in old versions.
pub(super) fn duration(wanted: i64, version: Version) -> Result<(), Failure> {
    let needed = version.has(Change::NeedsRobotDuration);
    if wanted > 0 || wanted == -1 || wanted == 0 && !needed {
        return Ok(());
    }
    let rule = if needed { ", duration must be either -1(Never) or a positive integer" } else { "" };
    Err(Failure::bad_request(format!("bad request error duration input: {wanted}{rule}")))
}

/// The level and the permissions. A permission that is null makes Harbor crash.
pub(super) fn permissions(
    level: &str,
    wanted: &[Option<PermissionRequest>],
    version: Version,
) -> Result<(Level, Vec<PermissionRequest>), Failure> {
    let known = Level::named(level)
        .ok_or_else(|| Failure::bad_request(format!("bad request error level input: {level}")))?;
    if wanted.is_empty() {
        return Err(Failure::bad_request("bad request empty permission"));
    }
    let wanted: Option<Vec<PermissionRequest>> = wanted.iter().cloned().collect();
    let wanted = wanted.ok_or_else(Failure::panic)?;
    if wanted.iter().any(|permission| permission.access.is_empty()) {
        return Err(Failure::bad_request("bad request empty access"));
    }
    if known == Level::Project && wanted.len() > 1 {
        return Err(Failure::bad_request("bad request permission"));
    }
    for permission in &wanted {
        for access in &permission.access {
            let (resource, action) = (access.resource.as_str(), access.action.as_str());
            if !is_known(permission.scope(), version, resource, action) {
                return Err(Failure::bad_request(format!("bad request permission: {resource}:{action}")));
            }
        }
    }
    Ok((known, wanted))
}
