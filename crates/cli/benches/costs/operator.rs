//! The operator as a process of its own, and what it takes of the machine.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

/// The program that is measured.
pub fn program() -> String {
    std::env::var("OPERATOR").unwrap_or_else(|_| env!("CARGO_BIN_EXE_harbor-operator").into())
}

/// Ends with its owner.
pub struct Operator(Child);

impl Operator {
    /// Starts it for the cluster of a kubeconfig.
    pub fn start(kubeconfig: &Path) -> Self {
        let mut command = Command::new(program());
        let log = std::env::var("OPERATOR_LOG").unwrap_or_else(|_| "error".into());
        command.arg("run").env("KUBECONFIG", kubeconfig).env("RUST_LOG", log).stdin(Stdio::null());
        Self(command.spawn().unwrap())
    }

    /// Resident memory, VmRSS of `/proc`.
    pub fn memory_mib(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }

    /// Time on the processor since it was started, user and system.
    pub fn cpu_seconds(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        // The 14th and 15th field in all; the first two end with the name.
        let ticks = after_name.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().unwrap());
        ticks.sum::<f64>() / 100.0
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}
