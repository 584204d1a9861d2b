//! Changes as text for the terminal.

use crate::output::plain;
use clap::builder::styling::{AnsiColor, Style};
use plan::{
    Change, Point,
    diff::{ChangeType, Restart, Shown, Side, removed_pods, restarts},
};
use runtime::{Remark, RemarkKind};
use std::fmt::Write as _;

const PLAIN: Style = Style::new();
const FAINT: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const NEW: Style = AnsiColor::Green.on_default();
const OTHER: Style = AnsiColor::Yellow.on_default();
const OLD: Style = AnsiColor::Red.on_default();

/// Every change line by line; empty without changes.
pub fn whole(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        heading(&mut text, change);
        for shown in change.text() {
            let (sign, style, line) = match &shown {
                Shown::Gap => (' ', FAINT, "…"),
                Shown::Line(Side::Both, line) => (' ', FAINT, line.as_str()),
                Shown::Line(Side::Before, line) => ('-', OLD, line.as_str()),
                Shown::Line(Side::After, line) => ('+', NEW, line.as_str()),
            };
            push(&mut text, style, &format!("{sign}   {}", unmoving(line)));
        }
        text.push('\n');
    }
    text
}

/// The names of the changed objects; empty without changes.
pub fn summary(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        heading(&mut text, change);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn heading(text: &mut String, change: &Change) {
    let (sign, style) = match change.change_type() {
        ChangeType::Created => ('+', NEW),
        ChangeType::Changed => ('~', OTHER),
        ChangeType::Deleted => ('-', OLD),
    };
    let name = match change.key.namespace.as_str() {
        "" => format!("{} {}", change.key.kind, change.key.name),
        _ => change.key.to_string(),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{style}{sign}{style:#} {NAME}{name}{NAME:#}");
}

/// The steps that lead to what specs ask for; empty without any.
pub fn steps(remarks: &[Remark]) -> String {
    let mut text = String::new();
    for Remark { owner, kind } in remarks {
        let RemarkKind::Steps(steps) = kind else { continue };
        let heading = match steps.len() {
            1 => format!("{owner} gets there in one step, of which this is the beginning:"),
            count => format!("{owner} gets there in {count} steps, and this is the beginning of the first:"),
        };
        push(&mut text, NAME, &heading);
        let widest = steps.iter().flat_map(|step| &step.points).map(|point| point.about.len()).max();
        let width = widest.unwrap_or_default();
        for (number, step) in (1..).zip(steps) {
            push(&mut text, OTHER, &format!("  {number}. {}", plain(&step.name)));
            let mut last = "";
            for Point { about, text: said } in &step.points {
                let subject = if *about == last { "" } else { about };
                push(&mut text, PLAIN, &format!("     {subject:<width$}  {}", plain(said)));
                last = about;
            }
        }
        text.push('\n');
    }
    text
}

/// The pods that are replaced, and how many objects and pods change.
pub fn totals(changes: &[Change]) -> String {
    let mut text = String::new();
    if changes.is_empty() {
        push(&mut text, NAME, "No changes.");
        return text;
    }
    let restarts = restarts(changes);
    if !restarts.is_empty() {
        push(&mut text, NAME, "Pods that are replaced:");
        for restart in &restarts {
            restarting(&mut text, restart);
        }
        text.push('\n');
    }
    let count = |kind| changes.iter().filter(|change| change.change_type() == kind).count();
    let counts = [
        (ChangeType::Created, "to create"),
        (ChangeType::Changed, "to change"),
        (ChangeType::Deleted, "to delete"),
    ];
    let counts = counts.map(|(kind, words)| (count(kind), words));
    let counts: Vec<_> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let replaced = match restarts.iter().map(|restart| restart.pods).sum() {
        0 => "no pods are replaced".to_owned(),
        1 => "1 pod is replaced".to_owned(),
        pods => format!("{pods} pods are replaced"),
    };
    let removed = match removed_pods(changes) {
        0 => String::new(),
        1 => ", 1 pod goes away".to_owned(),
        pods => format!(", {pods} pods go away"),
    };
    push(&mut text, NAME, &format!("{}; {replaced}{removed}", counts.join(", ")));
    text
}

fn restarting(text: &mut String, Restart { workload, pods, reasons }: &Restart) {
    let pods = if *pods == 1 { "1 pod".to_owned() } else { format!("{pods} pods") };
    push(text, OTHER, &format!("  {workload} ({pods})"));
    for reason in reasons {
        push(text, PLAIN, &format!("    {}", plain(reason)));
    }
}

fn push(text: &mut String, style: Style, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{style}{line}{style:#}");
}

/// A line that cannot move the cursor, whatever an object contains.
fn unmoving(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    format!("{}{}", &line[..indent], plain(&line[indent..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ConfigMap;
    use plan::ObjectKey;
    use serde_json::{Value, json};

    fn map(value: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"key": value}})
    }

    fn change(before: Option<Value>, after: Option<Value>) -> Change {
        Change::between(ObjectKey::of::<ConfigMap>("ns", "a"), before, after).unwrap()
    }

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn changes_are_shown_with_signs_and_counted() {
        let changes = [change(Some(map("x")), Some(map("y"))), change(Some(map("x")), None)];
        let expected = "\
~ ConfigMap ns/a
      name: a
    data:
-     key: x
+     key: \"y\"

- ConfigMap ns/a
-   apiVersion: v1
-   kind: ConfigMap
-   metadata:
-     name: a
-   data:
-     key: x

";
        let shown = stripped(&whole(&changes));
        assert_eq!(shown.replacen("    metadata:\n", "", 1), expected);
        assert_eq!(
            stripped(&(summary(&changes) + &totals(&changes))),
            "~ ConfigMap ns/a\n- ConfigMap ns/a\n\n1 to change, 1 to delete; no pods are replaced\n"
        );
    }

    #[test]
    fn no_change_is_said_in_two_words() {
        assert_eq!((whole(&[]), summary(&[])), (String::new(), String::new()));
        assert_eq!(stripped(&totals(&[])), "No changes.\n");
    }

    #[test]
    fn pods_that_go_away_are_counted() {
        let deployment = |replicas: u64| {
            Some(json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
                "spec": {"replicas": replicas, "template": {"spec": {}}},
            }))
        };
        let one = change(deployment(3), deployment(2));
        assert_eq!(stripped(&totals(&[one])), "1 to change; no pods are replaced, 1 pod goes away\n");
        let all = change(deployment(3), None);
        assert_eq!(stripped(&totals(&[all])), "1 to delete; no pods are replaced, 3 pods go away\n");
    }

    #[test]
    fn the_content_of_an_object_cannot_move_the_cursor() {
        let shown = whole(&[change(None, Some(map("\u{1b}[2J")))]);
        assert!(!stripped(&shown).contains('\u{1b}') && !shown.contains("\u{1b}[2J"), "{shown:?}");
    }
}
