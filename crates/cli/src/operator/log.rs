//! The log of the process.

use clap::{Args, ValueEnum};
use std::io::IsTerminal as _;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::LevelFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Another layer, with a filter of its own.
pub type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The format of the log.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Log {
    /// A line of text per event
    Text,
    /// A JSON object per event
    Json,
}

/// Flags for the log.
#[derive(Debug, Args)]
pub struct Logging {
    /// Log format
    #[arg(
        long = "log",
        value_enum,
        value_name = "FORMAT",
        env = "HARBOR_OPERATOR_LOG",
        default_value = "text"
    )]
    format: Log,

    /// Log level: error, warn, info, debug or trace, also per module, such as info,runtime=debug
    /// [default: RUST_LOG, or info]
    #[arg(long, value_name = "LEVEL", env = "HARBOR_OPERATOR_LOG_LEVEL", value_parser = directives)]
    log_level: Option<String>,
}

impl Logging {
    /// Starts to log to standard error.
    pub fn start(&self, other: Option<BoxedLayer>) {
        start(self.format, self.log_level.as_deref(), other);
    }
}

impl Log {
    /// Starts to log to standard error, with the level in RUST_LOG.
    #[cfg(feature = "sandbox")]
    pub fn start(self) {
        start(self, None, None);
    }
}

fn start(format: Log, level: Option<&str>, other: Option<BoxedLayer>) {
    let filter = filter(level);
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let log = match format {
        Log::Text => log.with_ansi(std::io::stderr().is_terminal()).boxed(),
        // The fields of the span are in one place, whatever the event.
        Log::Json => log.json().flatten_event(true).with_span_list(false).boxed(),
    };
    tracing_subscriber::registry().with(other).with(log.with_filter(filter)).init();
}

/// The filter of the log. It drops the warnings of kube's client: they quote answers that it cannot decode, and one may
/// be a Secret that a proxy has cut short.
fn filter(level: Option<&str>) -> EnvFilter {
    let filter = match level {
        Some(level) => EnvFilter::new(level),
        None => EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(about("info"))),
    };
    match UNQUOTED.parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => EnvFilter::new("off"),
    }
}

const UNQUOTED: &str = "kube_client::client=error";

/// Parses the directives of a filter.
fn directives(text: &str) -> Result<String, String> {
    let directives = about(text);
    EnvFilter::try_new(&directives).map_err(|error| error.to_string())?;
    Ok(directives)
}

/// A level alone applies to the operator; its libraries log only warnings.
fn about(text: &str) -> String {
    match text.parse::<LevelFilter>() {
        Ok(level) if level > LevelFilter::WARN => {
            format!("{text},kube=warn,hyper=warn,hyper_util=warn,tower=warn,rustls=warn,axum=warn")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_alone_does_not_apply_to_libraries() {
        assert!(about("debug").starts_with("debug,kube=warn,"));
        assert_eq!(about("error"), "error");
        assert_eq!(about("info,runtime=debug"), "info,runtime=debug");
    }

    #[test]
    fn an_answer_that_cannot_be_decoded_is_not_quoted_at_any_level() {
        #[derive(Clone, Default)]
        struct Lines(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
        impl std::io::Write for Lines {
            fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
                self.0.lock().unwrap().extend(line);
                Ok(line.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        for level in ["info", "trace", "kube_client=trace", "kube_client::client=trace"] {
            let lines = Lines::default();
            let writer = lines.clone();
            let log = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
            let subscriber = Registry::default().with(log.with_filter(filter(Some(level))));
            tracing::subscriber::with_default(subscriber, || {
                tracing::warn!(target: "kube_client::client", "hunter2, EOF while parsing");
                tracing::error!(target: "runtime", "heard");
            });
            let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
            assert!(!lines.contains("hunter2"), "{level}: {lines}");
        }
    }

    #[test]
    fn an_invalid_directive_is_refused() {
        assert!(directives("info,runtime=loud").is_err());
        assert!(directives("runtime=trace").is_ok());
    }
}
