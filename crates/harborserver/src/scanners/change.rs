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
    let wanted: ScannerRequest = call.body("registration")?;
    call.on_system("scanner", "update")?;
    let (id, scanner) = found(call)?;
    let keeps = wanted.access_credential.is_empty() && call.version().hides_credentials();
    let credential = if keeps { scanner.credential.clone() } else { wanted.access_credential.clone() };
    check_auth(&wanted.auth, !credential.is_empty())?;
    if scanner.is_default && wanted.disabled {
        return Err(Failure::internal());
    }
    let url = wanted.url();
    let same = |(other, it): (Id<Scanner>, &Scanner)| other != id && (it.name == wanted.name() || it.url == url);
    if call.data.scanners.iter().any(same) {
        return Err(taken());
    }
    let now = call.now;
    if let Some(scanner) = call.data.scanners.get_mut(id) {
        wanted.name().clone_into(&mut scanner.name);
        scanner.description = wanted.description;
        scanner.url = url;
        scanner.auth = wanted.auth;
        scanner.credential = credential;
        scanner.disabled = wanted.disabled;
        scanner.skips_verification = wanted.skips_verification;
        scanner.uses_internal_address = wanted.use_internal_addr;
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
