//! What the operator logs.

use std::{
    io,
    sync::{Arc, Mutex},
};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// Collects what this thread logs, until it is dropped.
pub struct Log {
    lines: Lines,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn start() -> Self {
        let lines = Lines::default();
        let level = tracing::Level::TRACE;
        let subscriber =
            tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(lines.clone());
        Self { lines, _guard: tracing::subscriber::set_default(subscriber.finish()) }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.lines.0.lock().unwrap()).into_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
