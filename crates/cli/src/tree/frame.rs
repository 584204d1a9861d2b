//! A drawing of the tree that fits the terminal.

use super::{
    Node,
    details::{self, Details, Fit},
    outline::{Row, rows, unready},
    words::{message, word},
};
use crate::output::{Line, duration, plain, shortened, width, wrapped};
use clap::builder::styling::{AnsiColor, Style};
use progress::{NodeState, Phase, tally};
use std::time::Duration;

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BUSY: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Columns between the labels and the states.
const GAP: usize = 2;
/// So many columns of a state are not cut for the sake of labels: `waiting  0 of 1 replicas available`.
const STATE: usize = 34;
/// A name of which so many columns are left is preceded by the whole kind.
const NAME_AFTER_KIND: usize = 8;
/// Columns of a time.
const TIME: usize = 6;
/// The reason of the condition of an object that failed because of a child.
const CHILD_FAILED: &str = "ChildFailed";

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

/// The drawing, with the lines about workloads below their rows: no line is wider than the terminal, and it has fewer lines than the terminal. If there is room, the messages
/// that were cut follow the rows. Without a time, no durations.
pub fn frame(roots: &[Node], about: &Details, now: Option<Duration>, size: Size) -> String {
    // The cursor is on a line of its own below the drawing, and the last line is the sum.
    let room = size.height.saturating_sub(2);
    let mut shown = rows(roots);
    let height = |rows: &[Row<'_>]| rows.iter().map(|row| 1 + details_of(row, about).len()).sum::<usize>();
    let (all, mut fits, mut what) = (height(&shown), room, None);
    if all > room {
        shown = unready(shown);
        fits = room.saturating_sub(1);
        what = Some(if height(&shown) > fits { "more lines" } else { "lines about what is ready" });
        shown.truncate(fits);
    }
    let drawn = drawn(&mut shown, now, size.width);
    let cut = cut_messages(&drawn, &shown);
    let mut lines = with_details(drawn, &shown, about, Fit::Cut, size.width);
    lines.truncate(fits);
    let hidden = what.map(|what| format!("… and {} {what}", all - lines.len()));
    if let Some(hidden) = hidden {
        let mut line = Line::with_room(size.width);
        line.push(FAINT, &hidden);
        lines.push(line.finish());
    }
    // Two lines less: one is empty before the messages, one after them.
    let mut left = room.saturating_sub(lines.len() + 2);
    let fitting = cut.iter().map(|message| message.lines(size.width)).take_while(|message| {
        let fits = message.len() <= left;
        left = left.saturating_sub(message.len());
        fits
    });
    below(&mut lines, fitting.flatten().collect());
    lines.push(sum(roots, now, size.width));
    lines.join("\n") + "\n"
}

/// The drawing that is printed once: all rows, followed by the messages that did not fit.
pub fn still(roots: &[Node], about: &Details, width: usize) -> String {
    let mut rows = rows(roots);
    let drawn = drawn(&mut rows, None, width);
    // The terminal wraps them, so that a copied message is one line.
    let cut = cut_messages(&drawn, &rows).iter().flat_map(|message| message.lines(usize::MAX)).collect();
    let mut lines = with_details(drawn, &rows, about, Fit::Wrap, width);
    below(&mut lines, cut);
    lines.push(sum(roots, None, width));
    lines.join("\n") + "\n"
}

/// The rows, each followed by the lines about its pods.
fn with_details(drawn: Vec<Line>, rows: &[Row<'_>], about: &Details, fit: Fit, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (line, row) in drawn.into_iter().zip(rows) {
        lines.push(line.finish());
        lines.extend(details::drawn(&row.branches, details_of(row, about), fit, room));
    }
    lines
}

fn details_of<'d>(row: &Row<'_>, about: &'d Details) -> &'d [pods::Line] {
    about.get(&row.node.key).map(Vec::as_slice).unwrap_or_default()
}

/// A message that did not fit into its row.
struct CutMessage {
    phase: Phase,
    text: String,
}

impl CutMessage {
    /// The whole message, in lines that fit into `width`.
    fn lines(&self, width: usize) -> Vec<String> {
        let (glyph, style) = glyph(self.phase);
        let lines = wrapped(&self.text, width.saturating_sub(2).max(2)).into_iter().enumerate();
        let indent = |(at, line)| match at {
            0 => format!("{style}{glyph}{style:#} {line}"),
            _ => format!("  {line}"),
        };
        lines.map(indent).collect()
    }
}

/// The messages of rows whose lines are cut.
fn cut_messages(drawn: &[Line], rows: &[Row<'_>]) -> Vec<CutMessage> {
    let message = |(line, row): (&Line, &Row<'_>)| {
        let phase = row.node.state.phase;
        let is_cut = line.is_cut() && matches!(phase, Phase::Waiting | Phase::Failed);
        let why = why(row).filter(|_| is_cut)?;
        Some(CutMessage { phase, text: format!("{}: {}", label(row, usize::MAX), plain(&why)) })
    };
    drawn.iter().zip(rows).filter_map(message).collect()
}

/// Adds messages below the rows, with an empty line before and after them.
fn below(lines: &mut Vec<String>, mut messages: Vec<String>) {
    if !messages.is_empty() {
        lines.push(String::new());
        lines.append(&mut messages);
        lines.push(String::new());
    }
}

/// The rows as lines, with the states in one column. Where there is little room, branches are short.
fn drawn(rows: &mut [Row<'_>], now: Option<Duration>, room: usize) -> Vec<Line> {
    let states = rows.iter().map(|row| state_width(row, now)).max().unwrap_or(0).min(STATE);
    let most = (room / 2).max(room.saturating_sub(states + GAP));
    let widest = |rows: &[Row<'_>]| rows.iter().map(label_width).max().unwrap_or(0);
    if widest(rows) > most {
        for row in rows.iter_mut() {
            row.branches = short(&row.branches);
        }
    }
    let column = widest(rows).min(most) + GAP;
    rows.iter().map(|row| line(row, column, now, room)).collect()
}

/// Branches half as wide: `│ ├ ` for `│   ├── `.
fn short(branches: &str) -> String {
    branches.chars().enumerate().filter(|(place, _)| matches!(place % 4, 0 | 3)).map(|(_, c)| c).collect()
}

/// Kind and name of an object in so many columns.
fn label(row: &Row<'_>, room: usize) -> String {
    let key = &row.node.key;
    let is_qualified = row.top && !key.namespace.is_empty();
    let name = if is_qualified { format!("{}/{}", key.namespace, key.name) } else { key.name.clone() };
    match room.checked_sub(width(&key.kind) + 1) {
        Some(room) if room >= NAME_AFTER_KIND => format!("{} {}", key.kind, shortened(&name, room)),
        _ => shortened(&format!("{} {name}", key.kind), room),
    }
}

fn label_width(row: &Row<'_>) -> usize {
    width(&row.branches) + 2 + width(&label(row, usize::MAX))
}

fn state_width(row: &Row<'_>, now: Option<Duration>) -> usize {
    let time = if now.is_some() { TIME } else { 0 };
    width(word(row.node.state.phase)) + time + why(row).map_or(0, |why| 2 + width(&why))
}

fn line(row: &Row<'_>, column: usize, now: Option<Duration>, room: usize) -> Line {
    let mut line = Line::with_room(room);
    line.push(FAINT, &row.branches);
    let label = |room: usize| label(row, room.saturating_sub(width(&row.branches)));
    let phase = row.node.state.phase;
    let (glyph, style) = glyph(phase);
    line.push(style, &format!("{glyph} "));
    line.push(if row.top { NAME } else { PLAIN }, &label(column - GAP - 2));
    line.pad(column);
    line.push(style, word(phase));
    if let Some(elapsed) = now.and_then(|now| elapsed(row.node, now)) {
        line.push(FAINT, &format!(" {}", duration(elapsed)));
    }
    if let Some(why) = why(row) {
        line.push(PLAIN, &format!("  {}", plain(&why)));
    }
    line
}

/// What a row says after the word for its phase.
fn why(row: &Row<'_>) -> Option<String> {
    let Node { key, state, children, .. } = row.node;
    if !children.is_empty() && is_about_children(state) {
        let tally = row.node.tally();
        if !tally.is_complete() {
            return Some(format!("{tally} ready"));
        }
    }
    if let [first, others @ ..] = row.until.as_slice() {
        let are = match others.len() {
            0 => "is".to_owned(),
            others => format!("and {others} more are"),
        };
        return Some(format!("until {} {} {are} ready", first.key.kind, first.key.name));
    }
    // The row names the object itself.
    message(state).map(|why| why.replacen(&format!("{key}: "), "", 1))
}

/// Whether the rows of the children show the same, in more detail.
fn is_about_children(state: &NodeState) -> bool {
    match state.phase {
        Phase::Waiting | Phase::Applying => true,
        Phase::Failed => state.reason == Some(CHILD_FAILED),
        Phase::Blocked | Phase::Pending | Phase::Paused | Phase::Deleted | Phase::Ready => false,
    }
}

/// How long an object is in its phase, or how long it took to become ready.
fn elapsed(node: &Node, now: Duration) -> Option<Duration> {
    match node.state.phase {
        Phase::Blocked | Phase::Pending | Phase::Paused | Phase::Deleted => None,
        Phase::Ready => Some(node.since.saturating_sub(node.began)),
        Phase::Applying | Phase::Waiting | Phase::Failed => Some(now.saturating_sub(node.since)),
    }
}

pub(super) fn glyph(phase: Phase) -> (char, Style) {
    match phase {
        Phase::Blocked | Phase::Pending | Phase::Deleted => ('·', FAINT),
        Phase::Applying => ('↑', BUSY),
        Phase::Waiting => ('◌', BUSY),
        Phase::Ready => ('✓', GOOD),
        Phase::Failed => ('✗', BAD),
        Phase::Paused => ('‖', FAINT),
    }
}

fn sum(roots: &[Node], now: Option<Duration>, room: usize) -> String {
    let mut line = Line::with_room(room);
    let after = now.map(|now| format!(", {}", duration(now))).unwrap_or_default();
    line.push(FAINT, &format!("{} objects ready{after}", tally(roots)));
    line.finish()
}
