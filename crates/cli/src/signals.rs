//! What asks a process to end.

use std::io;
use tokio::signal::unix;

/// A request to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// What service managers and `kill` send.
    Terminate,
}

#[cfg(feature = "sandbox")]
impl Signal {
    /// The exit code by which shells know that a process ended because of this.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// From now on, signals no longer end the process by themselves.
pub struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
}

impl Signals {
    /// Catches them.
    pub fn catch() -> io::Result<Self> {
        let interrupt = unix::signal(unix::SignalKind::interrupt())?;
        let terminate = unix::signal(unix::SignalKind::terminate())?;
        Ok(Self { interrupt, terminate })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}
