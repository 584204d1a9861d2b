//! Divides divan's figures by the number of nodes.
//!
//! Divan prints items per second but neither time nor allocations per item, and has no API for its figures. So the
//! benchmarks run in a child process, whose output this module parses. Divan's own allocator counts the allocations:
//! another one would need unsafe code.

use std::{
    env,
    fmt::Write as _,
    process::{Command, ExitCode, Stdio},
};

/// Set for the child process, which runs the benchmarks.
const CHILD: &str = "GRAPH_BENCH_CHILD";

/// Runs `benchmarks`; then, unless only tests or a list were asked for, prints what they cost per node.
pub fn main(benchmarks: fn()) -> ExitCode {
    let measures = env::args().any(|argument| argument == "--bench");
    if env::var_os(CHILD).is_some() || !measures {
        benchmarks();
        return ExitCode::SUCCESS;
    }
    let child = env::current_exe().and_then(|program| {
        Command::new(program).args(env::args_os().skip(1)).env(CHILD, "1").stderr(Stdio::inherit()).output()
    });
    match child {
        Ok(child) => {
            let text = String::from_utf8_lossy(&child.stdout);
            println!("{text}{}", table(&text));
            if child.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("cannot run the benchmarks: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One benchmark at one size.
struct Row {
    name: String,
    nodes: f64,
    nanoseconds: f64,
    allocations: f64,
}

fn table(text: &str) -> String {
    let mut out = format!("{:<20}{:>8}{:>14}{:>18}\n", "median", "nodes", "ns per node", "allocs per node");
    for Row { name, nodes, nanoseconds, allocations } in rows(text) {
        let (time, memory) = (nanoseconds / nodes, allocations / nodes);
        let _ = writeln!(out, "{name:<20}{nodes:>8}{time:>14.1}{memory:>18.4}");
    }
    out
}

/// Reads divan's tree: a shape, its benchmarks, their sizes, and below each size what was allocated.
fn rows(text: &str) -> Vec<Row> {
    let (mut shape, mut bench, mut rows, mut counts) = ("", "", Vec::<Row>::new(), false);
    for line in text.lines() {
        let content = line.trim_start_matches(['│', '├', '╰', '─', ' ']);
        let depth = (line.chars().count() - content.chars().count()) / 3;
        let columns: Vec<&str> = content.split('│').map(str::trim).collect();
        let (Some(name), Some(median)) = (columns[0].split_whitespace().next(), columns.get(2)) else {
            continue;
        };
        if let (Ok(nodes), Some(nanoseconds), 3) = (name.parse(), nanoseconds(median), depth) {
            rows.push(Row { name: format!("{shape}/{bench}"), nodes, nanoseconds, allocations: 0.0 });
        } else if line.contains(['├', '╰']) {
            *(if depth == 1 { &mut shape } else { &mut bench }) = name;
        } else if columns[0].ends_with(':') {
            // Growing is allocating anew.
            counts = matches!(columns[0], "alloc:" | "grow:");
        } else if counts && let (Some(row), Ok(count)) = (rows.last_mut(), median.parse::<f64>()) {
            row.allocations += count;
            counts = false;
        }
    }
    rows
}

fn nanoseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let scale = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}
