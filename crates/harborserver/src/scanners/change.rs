//! Changes of scanners. They do not call the adapter.

use super::{
    Scanner,
    create::{ScannerRequest, check_auth, taken},
    read::found,
};
use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, go_struct},
    state::Id,
    version::Change,
};
use serde_json::Value;

go_struct! { DefaultRequest = "IsDefault" { is_default: bool } }

/// Replaces everything. Where credentials are write-only, an empty one keeps the stored one.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let mut wanted: ScannerRequest = call.body("registration")?;
    call.on_system("scanner", "update")?;
    let (id, scanner) = found(call)?;
    if wanted.access_credential.is_empty() && call.version().hides_credentials() {
        wanted.access_credential = scanner.wanted.access_credential.clone();
    }
    check_auth(&wanted.auth, !wanted.access_credential.is_empty())?;
    if scanner.is_default && wanted.disabled {
        return Err(Failure::internal());
    }
    let taken_by = |(other, known): (Id<Scanner>, &Scanner)| other != id && known.wanted.conflicts(&wanted);
    if call.data.scanners.iter().any(taken_by) {
        return Err(taken());
    }
    let now = call.now;
    if let Some(scanner) = call.data.scanners.get_mut(id) {
        scanner.wanted = wanted;
        scanner.updated = now;
    }
    Ok(Reply::done())
}

/// The default can only be moved, not removed.
pub(super) fn make_default(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: DefaultRequest = call.body("payload")?;
    call.on_system("scanner", "update")?;
    let (id, _) = found(call)?;
    if wanted.is_default {
        for (other, scanner) in call.data.scanners.iter_mut() {
            scanner.is_default = other == id;
        }
    }
    Ok(Reply::done())
}

/// The answer is what was deleted. Without a default, nothing can be scanned.
pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("scanner", "delete")?;
    let (id, _) = found(call)?;
    let scanner = call.data.scanners.remove(id).ok_or_else(Failure::internal)?;
    for (_, project) in call.data.projects.iter_mut() {
        project.scanner = project.scanner.filter(|chosen| *chosen != id);
    }
    let shown = scanner.show(call.version());
    Ok(Reply::json(shown.when(call.has(Change::Sbom), "capabilities", Value::Null)))
}
