//! Metrics of the process, with the names that every Prometheus client uses.

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
    registry::Unit,
};
use std::{fmt, fs};

/// Clock ticks per second in `/proc`, a constant of Linux.
const TICKS: f64 = 100.0;

/// Reads `/proc/self` at each scrape. Without it, there are no such metrics.
#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(seconds) = cpu_seconds() {
            let help = "Processor time this process has used";
            let name = "process_cpu";
            ConstCounter::new(seconds).encode(encoder.encode_descriptor(
                name,
                help,
                Some(&Unit::Seconds),
                MetricType::Counter,
            )?)?;
        }
        let mut gauge = |name: &str, help: &str, unit: Option<&Unit>, value: Option<u64>| match value {
            Some(value) => ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX))
                .encode(encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?),
            None => Ok(()),
        };
        let bytes = Some(&Unit::Bytes);
        gauge("process_resident_memory", "Memory this process occupies", bytes, memory("VmRSS:"))?;
        gauge("process_virtual_memory", "Memory this process may address", bytes, memory("VmSize:"))?;
        gauge("process_open_fds", "Files and connections this process has open", None, open_files())?;
        gauge("process_threads", "Threads of this process", None, status("Threads:"))
    }
}

/// User and system time: the 14th and 15th field, counted from the end of the name, which may contain any character.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok().map(f64::from);
    Some((ticks()? + ticks()?) / TICKS)
}

fn memory(field: &str) -> Option<u64> {
    status(field).map(|kilobytes| kilobytes * 1024)
}

fn status(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

fn open_files() -> Option<u64> {
    fs::read_dir("/proc/self/fd").ok()?.count().try_into().ok()
}
