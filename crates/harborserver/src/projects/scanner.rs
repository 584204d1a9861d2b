//! The scanner of a project.

use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, go_struct},
    scanners::{self, Listed},
};

go_struct! {
    ScannerChoice = "ProjectScanner" { uuid: Option<String> }
    rules = |choice| {
        choice.uuid.is_none().then(|| "uuid in body is required".to_owned()).into_iter().collect()
    }
}

/// The chosen scanner, or else the default one, with what it says of itself; nothing where there is none.
pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let project = call.project("project_name_or_id", "scanner", "read")?;
    let chosen = call.data.projects.get(project).and_then(|project| project.scanner);
    let found = chosen.and_then(|id| call.data.scanners.get(id)).or_else(|| call.data.default_scanner());
    Ok(Reply::maybe(found.map(|scanner| scanner.show_live(call.version(), &call.runtime.network))))
}

pub(super) fn set(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScannerChoice = call.body("payload")?;
    let project = call.project("project_name_or_id", "scanner", "create")?;
    let uuid = wanted.uuid.unwrap_or_default();
    let (id, _) =
        call.data.scanners.find(|scanner| scanner.uuid == uuid).ok_or_else(|| scanners::missing(&uuid))?;
    if let Some(project) = call.data.projects.get_mut(project) {
        project.scanner = Some(id);
    }
    Ok(Reply::done())
}

pub(super) fn candidates(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    call.project("project_name_or_id", "scanner", "read")?;
    let enabled = call.data.scanners.iter().filter(|(_, scanner)| scanner.is_enabled());
    let version = call.version();
    call.listed(&filter, "-create_time", enabled.map(|(_, scanner)| Listed(scanner)), |scanner| {
        scanner.0.show(version).into()
    })
}
