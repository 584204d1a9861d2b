//! A table of objects.

use crate::{
    output::{Line, plain, shortened, width},
    tree::{Node, message, word},
};
use clap::builder::styling::{AnsiColor, Style};
use std::array::from_fn;

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();

/// The columns with names, which are shortened first.
const NAMES: [usize; 2] = [0, 2];
const LAST: usize = 6;

/// A table of objects and their versions, no wider than `room`. What an object waits for loses its middle: the cause stands at
/// its end.
pub fn table(rows: &[(&Node, Option<String>)], namespaces: bool, room: usize) -> String {
    let heading = ["NAMESPACE", "KIND", "NAME", "VERSION", "STATE", "READY", "WAITS FOR"].map(str::to_owned);
    let cells = rows.iter().map(|(node, version)| {
        let tally = node.tally();
        [
            node.key.namespace.clone(),
            node.key.kind.clone(),
            node.key.name.clone(),
            version.clone().unwrap_or_else(|| "-".into()),
            word(node.state.phase).to_owned(),
            format!("{}/{}", tally.ready, tally.all),
            message(&node.state).as_deref().map(plain).unwrap_or_default(),
        ]
    });
    let lines: Vec<[String; 7]> = [heading].into_iter().chain(cells).collect();
    let first = usize::from(!namespaces);
    let mut widths: [usize; 7] =
        from_fn(|column| lines.iter().map(|cells| width(&cells[column])).max().unwrap_or(0));
    if widths[first..LAST].iter().map(|wide| wide + 2).sum::<usize>() > room {
        // A shortened name is better than a state that is cut off.
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
            line.push(style(number, cell), &shortened(cell, wide.min(room.saturating_sub(column))));
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
    use crate::tree::Tree;
    use anstream::adapter::strip_str;
    use plan::{ObjectKey, Verdict};
    use progress::{Progress, Stage};
    use std::time::Duration;

    fn waiting(harbors: &[(&str, &str, &str)]) -> Vec<Node> {
        let mut tree = Tree::default();
        for (namespace, name, message) in harbors {
            let verdict = Verdict::Progressing { reason: Verdict::WAITING, message: (*message).into() };
            let owner = ObjectKey::new("goharbor.io", "Harbor", namespace, name);
            tree.observe(&Progress { owner, stage: Stage::Concluded(verdict) }, Duration::ZERO);
        }
        tree.roots()
    }

    #[track_caller]
    fn assert_shown(harbors: &[(&str, &str, &str)], room: usize, expected: &str) {
        let nodes = waiting(harbors);
        let rows: Vec<_> = nodes.iter().map(|node| (node, Some("2.15.0".to_owned()))).collect();
        let shown = strip_str(&table(&rows, true, room)).to_string();
        assert_eq!(shown, expected.trim_start_matches('\n'), "\n{shown}");
    }

    #[test]
    fn only_the_last_column_is_cut_and_its_end_stays() {
        assert_shown(
            &[("registry", "acme", "Harbor registry/acme-harbor: no status yet"), ("r", "b", "no")],
            74,
            "
NAMESPACE  KIND    NAME  VERSION  STATE    READY  WAITS FOR
registry   Harbor  acme  2.15.0   waiting  0/0    Harbor regi…o status yet
r          Harbor  b     2.15.0   waiting  0/0    no
",
        );
    }

    #[test]
    fn a_long_name_does_not_push_the_state_out_of_sight() {
        let name = "registry-of-the-platform-team-for-all-other-teams-staging";
        assert_shown(
            &[("registry", name, "no status yet"), ("registry", "acme", "")],
            80,
            "
NAMESPACE  KIND    NAME                  VERSION  STATE    READY  WAITS FOR
registry   Harbor  registry-…ms-staging  2.15.0   waiting  0/0    no status yet
registry   Harbor  acme                  2.15.0   waiting  0/0
",
        );
    }
}
