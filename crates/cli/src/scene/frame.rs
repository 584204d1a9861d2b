//! A picture of a scene for the terminal, as a function of the scene, the time and the room there is.

use super::{
    Condition, Mark, Scene,
    outline::{Content, Row, rows, unready},
    text::{Line, duration, plain, shortened, width},
};
use clap::builder::styling::{AnsiColor, Style};
use runtime::Tally;
use std::{fmt, time::Duration};

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BUSY: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Columns between the labels and what is said of them.
const GAP: usize = 2;
/// As much of what is said is not cut for the sake of labels: `waiting  0 of 1 replicas available`.
const WORDS: usize = 34;
/// As much of a name is worth a whole kind before it.
const NAME_WORTH_A_KIND: usize = 8;
/// How many columns a time takes.
const TIME: usize = 6;
const SEE_BELOW: &str = " (see below)";

/// How much a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

/// The picture: no line wider than the terminal, and fewer lines than it has. Without a time, nothing tells how long it
/// takes.
pub fn frame(scene: &Scene, now: Option<Duration>, size: Size) -> String {
    // The cursor stands on a line of its own below the picture, and the last line is the sum.
    let room = size.height.saturating_sub(2);
    let mut shown = rows(scene);
    let all = shown.len();
    let mut hidden = None;
    if all > room {
        shown = unready(shown);
        let fits = room.saturating_sub(1);
        let what = if shown.len() > fits { "more lines" } else { "lines about what is ready" };
        shown.truncate(fits);
        hidden = Some(format!("… and {} {what}", all - shown.len()));
    }
    let mut lines: Vec<_> = drawn(&mut shown, now, size.width).into_iter().map(Line::finish).collect();
    if let Some(hidden) = hidden {
        let mut line = Line::with_room(size.width);
        line.push(FAINT, &hidden);
        lines.push(line.finish());
    }
    lines.push(sum(scene, now, size.width));
    lines.join("\n") + "\n"
}

/// The whole picture, followed by what did not fit its lines: nobody is going to redraw it.
pub fn still(scene: &Scene, width: usize) -> String {
    let mut rows = rows(scene);
    let mut lines = Vec::new();
    let mut cut = Vec::new();
    let drawn = drawn(&mut rows, None, width);
    for (line, row) in drawn.into_iter().zip(&rows) {
        if line.is_cut()
            && let Content::Here { at, .. } = &row.content
            && let Condition::Waiting(_) | Condition::Failed(_) = at.condition
            && let Some(words) = said(row)
        {
            let (glyph, style) = glyph(&at.condition);
            cut.push(format!("{style}{glyph}{style:#} {}: {}", label(row, usize::MAX), plain(&words)));
        }
        lines.push(line.finish());
    }
    if !cut.is_empty() {
        lines.push(String::new());
        lines.append(&mut cut);
        lines.push(String::new());
    }
    lines.push(sum(scene, None, width));
    lines.join("\n") + "\n"
}

/// The rows as lines, with what is said of them in one column. Where there is little room, branches are short.
fn drawn(rows: &mut [Row<'_>], now: Option<Duration>, room: usize) -> Vec<Line> {
    let words = rows.iter().map(|row| words_width(row, now)).max().unwrap_or(0).min(WORDS);
    let most = (room / 2).max(room.saturating_sub(words + GAP));
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

/// What to call an object in as many columns.
fn label(row: &Row<'_>, room: usize) -> String {
    let key = row.key;
    let name = if row.top { format!("{}/{}", key.namespace, key.name) } else { key.name.clone() };
    match room.checked_sub(width(&key.kind) + 1) {
        Some(room) if room >= NAME_WORTH_A_KIND => format!("{} {}", key.kind, shortened(&name, room)),
        _ => shortened(&format!("{} {name}", key.kind), room),
    }
}

fn label_width(row: &Row<'_>) -> usize {
    match row.content {
        Content::Here { .. } => width(&row.branches) + 2 + width(&label(row, usize::MAX)),
        Content::SeeBelow => 0,
    }
}

fn words_width(row: &Row<'_>, now: Option<Duration>) -> usize {
    let Content::Here { at, .. } = &row.content else { return 0 };
    let time = if now.is_some() { TIME } else { 0 };
    width(word(&at.condition)) + time + said(row).map_or(0, |words| 2 + width(&words))
}

fn line(row: &Row<'_>, column: usize, now: Option<Duration>, room: usize) -> Line {
    let mut line = Line::with_room(room);
    line.push(FAINT, &row.branches);
    let label = |room: usize| label(row, room.saturating_sub(width(&row.branches)));
    let Content::Here { at, began, .. } = &row.content else {
        line.push(FAINT, &(label(room.saturating_sub(SEE_BELOW.len())) + SEE_BELOW));
        return line;
    };
    let (glyph, style) = glyph(&at.condition);
    line.push(style, &format!("{glyph} "));
    line.push(if row.top { NAME } else { PLAIN }, &label(column - GAP - 2));
    line.pad(column);
    line.push(style, word(&at.condition));
    if let Some(elapsed) = now.and_then(|now| elapsed(at, *began, now)) {
        line.push(FAINT, &format!(" {}", duration(elapsed)));
    }
    if let Some(words) = said(row) {
        line.push(PLAIN, &format!("  {}", plain(&words)));
    }
    line
}

/// What a row says besides the word for its condition.
fn said(row: &Row<'_>) -> Option<String> {
    let Content::Here { at, children, .. } = &row.content else { return None };
    match (&at.condition, children) {
        (condition, Some(tally)) if !tally.is_complete() && is_of_children(condition) => {
            Some(format!("{tally} ready"))
        }
        // Which object it is, the row says itself.
        (condition, _) => words(condition).map(|words| words.replacen(&format!("{}: ", row.key), "", 1)),
    }
}

/// Whether children say the same in more words.
fn is_of_children(condition: &Condition) -> bool {
    match condition {
        Condition::Waiting(_) | Condition::Applying => true,
        Condition::Failed(why) => why.starts_with("ChildFailed: "),
        Condition::Pending(_) | Condition::Ready | Condition::Paused | Condition::Deleted => false,
    }
}

/// How long something is under way, or how long it took.
fn elapsed(at: &Mark, began: Duration, now: Duration) -> Option<Duration> {
    match at.condition {
        Condition::Pending(_) | Condition::Paused | Condition::Deleted => None,
        Condition::Ready => Some(at.since.saturating_sub(began)),
        Condition::Applying | Condition::Waiting(_) | Condition::Failed(_) => {
            Some(now.saturating_sub(at.since))
        }
    }
}

fn glyph(condition: &Condition) -> (char, Style) {
    match condition {
        Condition::Pending(_) | Condition::Deleted => ('·', FAINT),
        Condition::Applying => ('↑', BUSY),
        Condition::Waiting(_) => ('◌', BUSY),
        Condition::Ready => ('✓', GOOD),
        Condition::Failed(_) => ('✗', BAD),
        Condition::Paused => ('‖', FAINT),
    }
}

/// One word for a condition.
pub(super) fn word(condition: &Condition) -> &'static str {
    match condition {
        Condition::Pending(_) => "pending",
        Condition::Applying => "applying",
        Condition::Waiting(_) => "waiting",
        Condition::Ready => "ready",
        Condition::Failed(_) => "failed",
        Condition::Paused => "paused",
        Condition::Deleted => "deleted",
    }
}

/// What else there is to say of a condition.
pub(super) fn words(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Pending(Some(by)) => Some(format!("until {} {} is ready", by.kind, by.name)),
        Condition::Waiting(why) | Condition::Failed(why) if !why.is_empty() => Some(why.clone()),
        _ => None,
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(word(self))?;
        words(self).map_or(Ok(()), |words| write!(f, ": {}", plain(&words)))
    }
}

fn sum(scene: &Scene, now: Option<Duration>, room: usize) -> String {
    let tally = Tally::of(scene.tops().map(|root| root.at.condition == Condition::Ready));
    let mut line = Line::with_room(room);
    let after = now.map(|now| format!(", {}", duration(now))).unwrap_or_default();
    line.push(FAINT, &format!("{tally} ready{after}"));
    line.finish()
}
