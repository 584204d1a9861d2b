//! Signals that end the process.

use std::{fs, future::pending, io};
use tokio::signal::unix;

/// A signal that ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The terminal was closed, or the connection to it was lost.
    HangUp,
    /// Ctrl-C.
    Interrupt,
    /// The signal of service managers and of `kill`.
    Terminate,
}

#[cfg(feature = "sandbox")]
impl Signal {
    /// The exit code that shells use for a process that ended with this signal.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::HangUp => 129,
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// Receives signals, which then no longer end the process by themselves.
pub struct Signals {
    /// Absent under `nohup`.
    hang_up: Option<unix::Signal>,
    interrupt: unix::Signal,
    terminate: unix::Signal,
}

impl Signals {
    /// Starts to receive signals.
    pub fn catch() -> io::Result<Self> {
        let hang_up = if ignores_hang_up() { None } else { Some(unix::signal(unix::SignalKind::hangup())?) };
        let interrupt = unix::signal(unix::SignalKind::interrupt())?;
        let terminate = unix::signal(unix::SignalKind::terminate())?;
        Ok(Self { hang_up, interrupt, terminate })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = hang_up => Signal::HangUp,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }

    /// Waits for a signal that a user repeats. A terminal that closes sends SIGHUP twice: the shell does, and the kernel.
    pub async fn insistent(&mut self) -> Signal {
        loop {
            match self.next().await {
                Signal::HangUp => {}
                signal @ (Signal::Interrupt | Signal::Terminate) => return signal,
            }
        }
    }
}

/// `nohup` starts a process that should survive its terminal; to handle the signal would undo that.
fn ignores_hang_up() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, 1))
}

/// Whether the mask of ignored signals in a `/proc/PID/status` has this one.
fn ignores(status: &str, signal: u32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

#[cfg(test)]
mod tests {
    use super::ignores;

    #[test]
    fn ignored_signals_are_bits_counted_from_one() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert!(ignores(status, 1) && ignores(status, 13));
        assert!(!ignores(status, 2) && !ignores("Name:\tx\n", 1));
    }
}
