//! What people and pipes get to see.

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

/// Writes to standard output. A reader that has seen enough, as `head` does, is no failure.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
        _ => Ok(()),
    }
}

/// Writes to standard output, with colours if it is a terminal that has some.
pub fn print_styled(text: &str) -> Result<(), Error> {
    match anstream::AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => print(&strip_str(text).to_string()),
        _ => print(text),
    }
}

/// How many columns there are to write to; where there is no terminal, as many as it takes.
pub fn terminal_width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(usize::MAX, |(width, _)| width.0.into())
}

/// Says something that does not keep the command from succeeding.
pub fn warn(message: impl fmt::Display) {
    say(format_args!("{WARNING}warning:{WARNING:#} {message}"));
}

/// Says what went wrong.
pub fn fail(failure: &Failure) -> ExitCode {
    for error in failure.errors() {
        say(format_args!("{ERROR}error:{ERROR:#} {error}"));
    }
    failure.exit_code().into()
}

/// Colours reach terminals only. If nobody listens, there is nobody to tell.
fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}
