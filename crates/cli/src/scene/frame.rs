//! A picture of a scene for the terminal, as a function of the scene, the time and the room there is.

use super::{
    Condition, Mark, Scene,
    outline::{Content, Row, rows},
    text::{Line, duration, plain, width},
};
use clap::builder::styling::{AnsiColor, Style};
use std::{fmt, time::Duration};

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BUSY: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

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
    let mut shown = rows(scene, false);
    if shown.len() > room {
        shown = rows(scene, true);
    }
    let hidden = shown.len().saturating_sub(room);
    if hidden > 0 {
        shown.truncate(room.saturating_sub(1));
    }
    let column = shown.iter().map(label_width).max().unwrap_or(0).min(size.width / 2) + 2;
    let mut lines: Vec<_> = shown.iter().map(|row| line(row, column, now, size.width)).collect();
    if hidden > 0 {
        let mut more = Line::with_room(size.width);
        more.push(FAINT, &format!("… and {} more lines", hidden + 1));
        lines.push(more.finish());
    }
    lines.push(sum(scene, now, size.width));
    lines.join("\n") + "\n"
}

fn label(row: &Row<'_>) -> String {
    let key = row.key;
    if row.top {
        format!("{} {}/{}", key.kind, key.namespace, key.name)
    } else {
        format!("{} {}", key.kind, key.name)
    }
}

fn label_width(row: &Row<'_>) -> usize {
    match row.content {
        Content::Here { .. } => width(&row.branches) + 2 + width(&label(row)),
        Content::SeeBelow => 0,
    }
}

fn line(row: &Row<'_>, column: usize, now: Option<Duration>, room: usize) -> String {
    let mut line = Line::with_room(room);
    line.push(FAINT, &row.branches);
    let Content::Here { at, began, children } = &row.content else {
        line.push(FAINT, &format!("{} (see below)", label(row)));
        return line.finish();
    };
    let (glyph, style) = glyph(&at.condition);
    line.push(style, &format!("{glyph} "));
    line.push(if row.top { NAME } else { PLAIN }, &label(row));
    line.push(PLAIN, " ");
    line.pad(column);
    line.push(style, word(&at.condition));
    if let Some(elapsed) = now.and_then(|now| elapsed(at, *began, now)) {
        line.push(FAINT, &format!(" {}", duration(elapsed)));
    }
    let words = match (&at.condition, children) {
        // The children say the same in more words.
        (Condition::Waiting(_) | Condition::Applying, Some((ready, all))) if ready < all => {
            Some(format!("{ready} of {all} ready"))
        }
        (condition, _) => words(condition),
    };
    if let Some(words) = words {
        line.push(PLAIN, &format!("  {}", plain(&words)));
    }
    line.finish()
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
    let ready = scene.roots.iter().filter(|root| root.at.condition == Condition::Ready).count();
    let mut line = Line::with_room(room);
    let after = now.map(|now| format!(", {}", duration(now))).unwrap_or_default();
    line.push(FAINT, &format!("{ready} of {} ready{after}", scene.roots.len()));
    line.finish()
}
