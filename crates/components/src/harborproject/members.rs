//! The members of a project.

use crate::management::{Server, member};
use api::v1beta1::{HarborProjectSpec, harborproject::MemberType};
use harborstate::members::Members;
use plan::PlanError;
use std::collections::BTreeSet;

/// All members, if the spec lists them.
pub(super) fn members(spec: &HarborProjectSpec, server: &Server) -> Result<Option<Members>, PlanError> {
    let Some(memberships) = &spec.memberships else { return Ok(None) };
    let mut seen = BTreeSet::new();
    for membership in memberships {
        if !seen.insert((membership.type_ == MemberType::Group, &membership.name)) {
            return Err(PlanError::invalid(
                "spec.memberships",
                format!("{:?} is listed twice", membership.name),
                "keep one of the two",
            ));
        }
    }
    let members = memberships.iter().map(|membership| member(membership, server)).collect();
    Ok(Some(Members { members }))
}
