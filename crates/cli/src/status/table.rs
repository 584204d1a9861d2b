//! Many objects, a line for each.

use crate::scene::{Line, Tree, plain, shortened, width};
use clap::builder::styling::{AnsiColor, Style};
use std::array::from_fn;

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();

/// The columns that users name.
const NAMES: [usize; 2] = [0, 2];
const LAST: usize = 6;

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
            format!("{}/{}", tree.tally().ready, tree.tally().all),
            tree.message.as_deref().map(plain).unwrap_or_default(),
        ]
    });
    let lines: Vec<[String; 7]> = [heading].into_iter().chain(cells).collect();
    let first = usize::from(!namespaces);
    let mut widths: [usize; 7] =
        from_fn(|column| lines.iter().map(|cells| width(&cells[column])).max().unwrap_or(0));
    if widths[first..LAST].iter().map(|wide| wide + 2).sum::<usize>() > room {
        // Better a shorter name than no state.
        for column in NAMES {
            widths[column] = widths[column].min(room / 4);
        }
    }
    let mut text = String::new();
    for (number, cells) in lines.iter().enumerate() {
        let mut line = Line::with_room(room);
        let mut column = 0;
        for (cell, &wide) in cells.iter().zip(&widths).skip(first) {
            line.pad(column);
            line.push(style(number, cell), &shortened(cell, wide));
            column += wide + 2;
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

#[cfg(test)]
mod tests {
    use super::*;
    use anstream::adapter::strip_str;

    fn tree(namespace: &str, name: &str, message: &str) -> Tree {
        Tree {
            kind: "Harbor".into(),
            namespace: namespace.into(),
            name: name.into(),
            state: "waiting",
            message: Some(message.into()),
            after: Vec::new(),
            children: Vec::new(),
        }
    }

    #[track_caller]
    fn assert_shown(trees: &[Tree], room: usize, expected: &str) {
        let rows: Vec<_> = trees.iter().map(|tree| (tree, Some("2.15.0".to_owned()))).collect();
        let shown = strip_str(&table(&rows, true, room)).to_string();
        assert_eq!(shown, expected.trim_start_matches('\n'), "\n{shown}");
    }

    #[test]
    fn only_what_is_said_in_the_last_column_is_cut() {
        assert_shown(
            &[tree("registry", "acme", "Harbor registry/acme-harbor: no status yet"), tree("r", "b", "no")],
            74,
            "
NAMESPACE  KIND    NAME  VERSION  STATE    READY  WAITS FOR
registry   Harbor  acme  2.15.0   waiting  0/0    Harbor registry/acme-ha…
r          Harbor  b     2.15.0   waiting  0/0    no
",
        );
    }

    #[test]
    fn a_long_name_does_not_push_the_state_out_of_sight() {
        let name = "registry-of-the-platform-team-for-all-other-teams-staging";
        assert_shown(
            &[tree("registry", name, "no status yet"), tree("registry", "acme", "")],
            80,
            "
NAMESPACE  KIND    NAME                  VERSION  STATE    READY  WAITS FOR
registry   Harbor  registry-…ms-staging  2.15.0   waiting  0/0    no status yet
registry   Harbor  acme                  2.15.0   waiting  0/0
",
        );
    }
}
