//! Flags for leader election.

use crate::{
    flags::{namespace_or_nothing, own_namespace},
    output::Error,
};
use clap::Args;
use election::{Election, Timing};
use plan::HarborClass;
use runtime::{Entropy as _, SystemEntropy};
use std::fs;

/// The default name of the lease.
pub const LEASE: &str = "harbor-operator";

/// Flags for leader election.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Leader election")]
pub struct ElectionArgs {
    /// Stand by while another operator holds the lease
    #[arg(long, env = "HARBOR_OPERATOR_LEADER_ELECT", value_parser = clap::builder::BoolishValueParser::new())]
    leader_elect: bool,

    /// The name of the lease. Operators that reconcile different namespaces need different names; the class is
    /// appended if there is one
    #[arg(long, env = "HARBOR_OPERATOR_LEASE_NAME", value_name = "NAME", default_value = LEASE)]
    lease_name: String,

    /// The namespace of the lease [default: the namespace of the pod]
    #[arg(long, env = "HARBOR_OPERATOR_LEASE_NAMESPACE", value_name = "NAME", value_parser = namespace_or_nothing)]
    lease_namespace: Option<String>,

    /// Lease duration in seconds: a standby operator takes over this long after the last renewal
    #[arg(long, env = "HARBOR_OPERATOR_LEASE_DURATION", value_name = "SECONDS", default_value_t = 15)]
    lease_duration: u16,

    /// Renew deadline in seconds: a leader that cannot renew its lease for this long ends
    #[arg(long, env = "HARBOR_OPERATOR_LEASE_RENEW_DEADLINE", value_name = "SECONDS", default_value_t = 10)]
    lease_renew_deadline: u16,

    /// Retry period in seconds, between two attempts to acquire or renew the lease
    #[arg(long, env = "HARBOR_OPERATOR_LEASE_RETRY_PERIOD", value_name = "SECONDS", default_value_t = 2)]
    lease_retry_period: u16,
}

impl ElectionArgs {
    /// The election, if it is enabled.
    pub fn election(&self, class: Option<&HarborClass>) -> Result<Option<Election>, Error> {
        if !self.leader_elect {
            return Ok(None);
        }
        let Self { lease_duration, lease_renew_deadline, lease_retry_period, .. } = *self;
        let timing = Timing::of_seconds(lease_duration, lease_renew_deadline, lease_retry_period)
            .map_err(|error| Error::Election(error.to_string()))?;
        let namespace = match self.lease_namespace.clone().filter(|name| !name.is_empty()) {
            Some(namespace) => namespace,
            None => own_namespace().map_err(|error| {
                Error::Election(format!(
                    "the namespace of the lease is unknown ({error}); set --lease-namespace"
                ))
            })?,
        };
        let name = lease_name(&self.lease_name, class)?;
        Ok(Some(Election { namespace, name, identity: identity(), timing }))
    }
}

/// The name of the lease of operators of a class.
pub fn lease_name(name: &str, class: Option<&HarborClass>) -> Result<String, Error> {
    let name = match class {
        Some(class) => format!("{name}-{class}"),
        None => name.to_owned(),
    };
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let ends_well = |name: &str| !name.starts_with(['-', '.']) && !name.ends_with(['-', '.']);
    if name.is_empty() || name.len() > 253 || !name.chars().all(allowed) || !ends_well(&name) {
        return Err(Error::Election(format!(
            "{name:?}, formed from --lease-name and --class, cannot name a lease; use lower-case letters, digits, \
             '-' and '.'"
        )));
    }
    Ok(name)
}

/// The host name, and a random suffix that makes it unique to this process.
fn identity() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "harbor-operator",
        host => host,
    };
    format!("{host}_{}", SystemEntropy.alphanumeric(10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        args: ElectionArgs,
    }

    fn election(args: &[&str], class: &str) -> Result<Option<Election>, String> {
        let Only { args } = Only::try_parse_from([&["run"], args].concat()).map_err(|e| e.to_string())?;
        args.election(HarborClass::named(class).as_ref()).map_err(|error| error.to_string())
    }

    fn elected(args: &[&str], class: &str) -> Election {
        let args = [&["--leader-elect", "--lease-namespace", "operators"], args].concat();
        election(&args, class).unwrap().unwrap()
    }

    #[test]
    fn leader_election_is_off_by_default() {
        assert_eq!(election(&[], ""), Ok(None));
    }

    #[test]
    fn each_class_has_a_lease_of_its_own() {
        let names = ["", "blue", "green"].map(|class| elected(&[], class).name);
        assert_eq!(names, ["harbor-operator", "harbor-operator-blue", "harbor-operator-green"]);
        let problem = election(&["--leader-elect", "--lease-namespace", "operators"], "Team A").unwrap_err();
        assert!(problem.contains("\"harbor-operator-Team A\""), "{problem}");
    }

    #[test]
    fn no_two_processes_have_the_same_identity() {
        assert_ne!(elected(&[], "").identity, elected(&[], "").identity);
    }

    #[test]
    fn default_times_are_those_of_client_go() {
        assert_eq!(elected(&[], "").timing, Timing::DEFAULT);
        let args = ["--leader-elect", "--lease-namespace", "operators", "--lease-duration", "10"];
        let problem = election(&args, "").unwrap_err();
        assert!(problem.contains("make the renew deadline shorter"), "{problem}");
    }
}
