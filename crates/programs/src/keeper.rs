//! Runs a server from another process, so that it ends even if this process is killed.

use crate::{
    error::{Failure, Log},
    program::{Program, clean},
    site::Site,
};
use std::{
    ffi::{OsStr, OsString},
    fs,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Long enough for a machine that compiles on all cores. A server that ends is reported at once.
const READY: Duration = Duration::from_mins(1);

/// How a server is ended, including its child processes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// `SIGKILL`: it has one process and no state to save.
    Kill,
    /// `SIGTERM`: it ends its child processes.
    Terminate,
    /// `SIGQUIT`: it ends its child processes, and would wait for its clients on `SIGTERM`.
    Quit,
}

/// The command of a server.
pub(crate) struct Launch<'a> {
    pub program: Program,
    /// A command prefix that runs the program, such as under another user.
    pub through: &'a [&'a str],
    pub arguments: Vec<OsString>,
    pub environment: &'a [(&'a str, &'a str)],
    pub end: End,
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    program: Program,
    keeper: Child,
    site: Site,
}

impl Server {
    /// Starts a server in its site.
    pub fn start(launch: Launch<'_>, site: Site) -> Result<Self, Failure> {
        let program = launch.program;
        let signal = match launch.end {
            End::Kill => "KILL",
            End::Terminate => "TERM",
            End::Quit => "QUIT",
        };
        let keeper = clean(Command::new("sh"))
            .args(["-c", include_str!("keeper.sh"), "keeper"])
            .arg(site.folder())
            .arg(signal)
            .args(launch.through)
            .arg(program.path()?)
            .args(launch.arguments)
            .envs(launch.environment.iter().copied())
            .current_dir(site.folder())
            // Closed when this process ends.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Signals for the test's process group (Ctrl-C, a test runner's timeout) must not reach it.
            .process_group(0)
            .spawn()
            .map_err(|source| Failure::Spawn { program, source })?;
        Ok(Self { program, keeper, site })
    }

    /// Waits until the server listens on all of these ports.
    pub fn until_listening(&self, ports: &[u16]) -> Result<(), Failure> {
        let open = |port: &u16| TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, *port))).is_ok();
        self.until(|| ports.iter().all(open))
    }

    /// Waits until `ready` is true. Fails if the server ends or the time is up.
    pub fn until(&self, ready: impl Fn() -> bool) -> Result<(), Failure> {
        let program = self.program;
        let deadline = Instant::now() + READY;
        while !ready() {
            if let Some(status) = self.exit() {
                return Err(Failure::Exited { program, status, log: Log(self.log()) });
            }
            if Instant::now() > deadline {
                return Err(Failure::NotReady { program, seconds: READY.as_secs(), log: Log(self.log()) });
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    pub fn folder(&self) -> &Path {
        self.site.folder()
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.folder().join("program.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn exit(&self) -> Option<String> {
        let status = fs::read_to_string(self.folder().join("program.exit")).ok()?;
        // The file is created a moment before it is written.
        Some(status.trim().to_owned()).filter(|status| !status.is_empty())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{} on {} said:\n{}", self.program, self.folder().display(), self.log());
        }
        drop(self.keeper.stdin.take());
        // There is nothing else to do if this fails.
        let _ = self.keeper.wait();
    }
}

/// Arguments of different types for a command.
pub(crate) fn arguments<const N: usize>(arguments: [&dyn AsRef<OsStr>; N]) -> Vec<OsString> {
    arguments.iter().map(|argument| argument.as_ref().to_owned()).collect()
}
