//! What the pods of a workload report, below the row of the workload.

use super::frame::glyph;
use crate::output::{Line, plain, wrapped};
use clap::builder::styling::Style;
use jiff::Timestamp;
use plan::ObjectKey;
use pods::{Mark, Report};
use progress::Phase;
use std::collections::BTreeMap;

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();
/// Columns of an indentation.
const STEP: usize = 2;
/// Text is not broken into lines shorter than this.
const NARROWEST: usize = 20;

/// The lines about workloads.
pub type Details = BTreeMap<ObjectKey, Vec<pods::Line>>;

/// The lines of a report that was read now.
pub fn details(report: &Report, now: Timestamp) -> Details {
    let lines = report.workloads.iter().map(|(key, workload)| (key.clone(), workload.lines(now)));
    lines.filter(|(_, lines)| !lines.is_empty()).collect()
}

/// What becomes of a line that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Its end is left out.
    Cut,
    /// It continues on the next line.
    Wrap,
}

/// The lines below a row with these branches, within `room` columns.
pub fn drawn(branches: &str, lines: &[pods::Line], fit: Fit, room: usize) -> Vec<String> {
    let trunk: String = branches.chars().map(continued).collect();
    lines.iter().flat_map(|line| one(&trunk, line, fit, room)).collect()
}

/// The branch of a row as it passes by the lines below that row.
fn continued(branch: char) -> char {
    match branch {
        '├' => '│',
        '└' | '─' => ' ',
        other => other,
    }
}

fn one(trunk: &str, line: &pods::Line, fit: Fit, room: usize) -> Vec<String> {
    let (sign, style) = sign(line.mark);
    let indent = format!("{trunk}{}", " ".repeat(STEP * (line.depth + 1)));
    let used = indent.chars().count() + sign.chars().count();
    let text = plain(&line.text);
    let parts = match fit {
        Fit::Cut => vec![text],
        Fit::Wrap => wrapped(&text, room.saturating_sub(used).max(NARROWEST)),
    };
    let drawn = parts.iter().enumerate().map(|(at, part)| {
        // A part that could not be broken is not cut either.
        let mut out = Line::with_room(if fit == Fit::Wrap { usize::MAX } else { room });
        out.push(FAINT, &indent);
        out.push(style, if at == 0 || line.mark == Mark::Quote { sign } else { &"  "[..sign.len().min(2)] });
        out.push(PLAIN, part);
        out.finish()
    });
    drawn.collect()
}

fn sign(mark: Mark) -> (&'static str, Style) {
    let of = |sign, phase| (sign, glyph(phase).1);
    match mark {
        Mark::Ready => of("✓ ", Phase::Ready),
        Mark::Waiting => of("◌ ", Phase::Waiting),
        Mark::Failed => of("✗ ", Phase::Failed),
        Mark::Fact => ("", PLAIN),
        Mark::Quote => ("> ", FAINT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: usize, mark: Mark, text: &str) -> pods::Line {
        pods::Line { depth, mark, text: text.into() }
    }

    fn shown(branches: &str, fit: Fit, room: usize) -> Vec<String> {
        let lines = [
            line(0, Mark::Failed, "Pod core-a-1  CrashLoopBackOff"),
            line(1, Mark::Fact, "container core: ended with exit code 1"),
            line(2, Mark::Quote, "panic: no database, and no hope\u{1b}[2J"),
        ];
        let drawn = drawn(branches, &lines, fit, room);
        drawn.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn details_stand_below_their_row_beside_the_branches_of_the_rows_that_follow() {
        assert_eq!(
            shown("│   ├── ", Fit::Cut, 44),
            [
                "│   │     ✗ Pod core-a-1  CrashLoopBackOff",
                "│   │       container core: ended with exit…",
                "│   │         > panic: no database, and no …",
            ]
        );
        assert_eq!(shown("│ └ ", Fit::Cut, 80)[0], "│     ✗ Pod core-a-1  CrashLoopBackOff");
    }

    #[test]
    fn text_that_is_printed_once_is_whole() {
        assert_eq!(
            shown("└── ", Fit::Wrap, 36),
            [
                "      ✗ Pod core-a-1",
                "        CrashLoopBackOff",
                "        container core: ended with",
                "        exit code 1",
                "          > panic: no database, and",
                "          > no hope\\u{1b}[2J",
            ]
        );
        assert_eq!(shown("", Fit::Wrap, usize::MAX).len(), 3);
    }
}
