//! Writes to standard output and standard error.

use super::{Error, Failure};
use anstream::{ColorChoice, adapter::strip_str};
use clap::builder::styling::{AnsiColor, Style};
use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Writes to standard output. A reader that closes the pipe, as `head` does, is no error.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
        _ => Ok(()),
    }
}

/// Writes to standard output, with colours if it is a terminal that supports them.
pub fn print_styled(text: &str) -> Result<(), Error> {
    match anstream::AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => print(&strip_str(text).to_string()),
        _ => print(text),
    }
}

/// The number of columns of the terminal; unlimited if there is none.
pub fn terminal_width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(usize::MAX, |(width, _)| width.0.into())
}

/// Prints a warning.
pub fn warn(message: impl fmt::Display) {
    write_line(format_args!("{WARNING}warning:{WARNING:#} {message}"));
}

/// Prints the errors, and returns the exit code.
pub fn fail(failure: &Failure) -> ExitCode {
    for error in failure.errors() {
        write_line(format_args!("{ERROR}error:{ERROR:#} {error}"));
    }
    failure.exit_code().into()
}

/// Writes colours only to a terminal. Errors of a closed pipe are ignored.
fn write_line(line: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}
