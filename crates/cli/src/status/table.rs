//! Many objects, a line for each.

use crate::scene::{Line, Tree, plain, width};
use clap::builder::styling::{AnsiColor, Style};

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();

/// A table of objects, with the version of each that has one, no wider than there is room.
pub fn table(rows: &[(&Tree, Option<String>)], namespaces: bool, room: usize) -> String {
    let heading = ["NAMESPACE", "KIND", "NAME", "VERSION", "STATE", "READY", "WAITS FOR"].map(str::to_owned);
    let cells = rows.iter().map(|(tree, version)| {
        [
            tree.namespace.clone(),
            tree.kind.clone(),
            tree.name.clone(),
            version.clone().unwrap_or_else(|| "-".into()),
            tree.state.to_owned(),
            format!("{}/{}", tree.ready_children(), tree.children.len()),
            tree.message.as_deref().map(plain).unwrap_or_default(),
        ]
    });
    let lines: Vec<[String; 7]> = [heading].into_iter().chain(cells).collect();
    let first = usize::from(!namespaces);
    let widths: Vec<_> =
        (0..7).map(|column| lines.iter().map(|cells| width(&cells[column])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (number, cells) in lines.iter().enumerate() {
        let mut line = Line::with_room(room);
        let mut column = 0;
        for (cell, wide) in cells.iter().zip(&widths).skip(first) {
            line.push(style(number, cell), cell);
            column += wide + 2;
            line.pad(column);
        }
        text += &line.finish();
        text.push('\n');
    }
    text
}

fn style(line: usize, cell: &str) -> Style {
    match (line, cell) {
        (0, _) => FAINT,
        (_, "ready") => AnsiColor::Green.on_default(),
        (_, "waiting" | "applying") => AnsiColor::Yellow.on_default(),
        (_, "failed") => AnsiColor::Red.on_default().bold(),
        _ => PLAIN,
    }
}
