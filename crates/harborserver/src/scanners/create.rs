//! New scanners.

use super::Scanner;
use crate::{
    call::Call,
    entropy::uuid,
    failure::Failure,
    network::Answer,
    rest::{Reply, go_struct},
    secret::Secret,
};

go_struct! {
    /// A scanner as bodies describe it.
    ScannerRequest = "ScannerRegistrationReq" {
        name: Option<String>,
        description: String,
        url: Option<String>,
        auth: String,
        access_credential: Secret,
        skips_verification = "skip_certVerify": bool,
        use_internal_addr: bool,
        disabled: bool,
    }
    rules = |scanner| {
        let missing = [("name", scanner.name.is_none()), ("url", scanner.url.is_none())];
        missing.iter().filter(|(_, is)| *is).map(|(name, _)| format!("{name} in body is required")).collect()
    }
}

impl ScannerRequest {
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The address without spaces and slashes around it.
    pub fn url(&self) -> String {
        self.url.as_deref().unwrap_or_default().trim().trim_end_matches('/').to_owned()
    }

    /// Whether both cannot be registered: names and addresses are unique.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.name() == other.name() || self.url() == other.url()
    }
}

/// Refuses a way of logging in that does not exist, or lacks its credential.
pub(super) fn check_auth(auth: &str, has_credential: bool) -> Result<(), Failure> {
    match auth {
        "" => Ok(()),
        "Basic" | "Bearer" | "X-ScannerAdapter-API-Key" if has_credential => Ok(()),
        "Basic" | "Bearer" | "X-ScannerAdapter-API-Key" => {
            Err(Failure::bad_request(format!("access_credential is required for auth type {auth}")))
        }
        _ => Err(Failure::bad_request(format!("auth type {auth} is not supported"))),
    }
}

/// Calls the adapter first. What does not answer as an adapter is an error of Harbor's own.
pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScannerRequest = call.body("registration")?;
    call.on_system("scanner", "create")?;
    check_auth(&wanted.auth, !wanted.access_credential.is_empty())?;
    if call.runtime.network.call(&wanted.url(), None) == Answer::Silent {
        return Err(Failure::internal());
    }
    if call.data.scanners.find(|known| known.wanted.conflicts(&wanted)).is_some() {
        call.data.scanners.burn();
        return Err(taken());
    }
    let scanner = Scanner {
        uuid: uuid(&mut *call.runtime.entropy),
        wanted,
        is_default: call.data.scanners.len() == 0,
        created: call.now,
        updated: call.now,
    };
    let location = call.location(&scanner.uuid);
    call.data.scanners.insert(scanner);
    Ok(Reply::created(location))
}

/// The status is right, the code is not.
pub(super) fn taken() -> Failure {
    Failure::conflict("dao: create registration: registration name or url already exists").coded("UNKNOWN")
}

pub(super) fn ping(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScannerRequest = call.body("settings")?;
    call.on_system("scanner", "read")?;
    check_auth(&wanted.auth, !wanted.access_credential.is_empty())?;
    match call.runtime.network.call(&wanted.url(), None) {
        Answer::Healthy => Ok(Reply::done()),
        Answer::Refused | Answer::Silent => Err(Failure::internal()),
    }
}
