//! Drawings of a graph. The same graph and labels always give the same text.
//!
//! A label is any text: each format escapes characters that would end the label, act as markup or move the cursor.

use crate::{
    edge::{Edge, Edges},
    graph::Graph,
};
use std::fmt::Write as _;

impl<N> Graph<N> {
    /// Graphviz source. An arrow points from a dependency to its dependent and is dashed unless the dependency is
    /// [needed](Edge::Needs).
    pub fn to_dot(&self, label: impl Fn(&N) -> String) -> String {
        let mut out = String::from("digraph {\n  rankdir=LR;\n  node [shape=box];\n");
        for (id, payload, _) in self.iter() {
            line(&mut out, format_args!("  {id} [label=\"{}\"];", dot(&label(payload))));
        }
        for (id, ..) in self.iter() {
            for (dependency, edges) in self.edges(id) {
                let style = if is_needed(edges) { "" } else { " [style=dashed]" };
                line(&mut out, format_args!("  {dependency} -> {id}{style};"));
            }
        }
        out.push_str("}\n");
        out
    }

    /// A Mermaid flowchart. An arrow points from a dependency to its dependent and is dotted unless the dependency is
    /// [needed](Edge::Needs).
    pub fn to_mermaid(&self, label: impl Fn(&N) -> String) -> String {
        let mut out = String::from("flowchart LR\n");
        for (id, payload, _) in self.iter() {
            line(&mut out, format_args!("  {id}[\"{}\"]", mermaid(&label(payload))));
        }
        for (id, ..) in self.iter() {
            for (dependency, edges) in self.edges(id) {
                let arrow = if is_needed(edges) { "-->" } else { "-.->" };
                line(&mut out, format_args!("  {dependency} {arrow} {id}"));
            }
        }
        out
    }

    /// A tree for the terminal: dependents are indented below their dependency.
    ///
    /// There is one line per edge and one per node without dependencies. A node with several dependencies is printed
    /// under each of them: marked `(see below)` until the last, and in full, with its dependents, under the last.
    /// All dependencies of a node are therefore above it.
    pub fn to_tree(&self, label: impl Fn(&N) -> String) -> String {
        let mut out = String::new();
        let mut missing: Vec<usize> = self.iter().map(|(_, _, dependencies)| dependencies.len()).collect();
        let mut indent = String::new();
        // An explicit stack: recursion would limit the depth of a graph by the size of the thread's stack.
        let mut open = Vec::new();
        for (root, payload, _) in self.iter().filter(|(_, _, dependencies)| dependencies.is_empty()) {
            line(&mut out, format_args!("{}", terminal(&label(payload))));
            open.push((self.dependents(root).iter(), 0));
            while let Some((siblings, outer)) = open.last_mut() {
                let Some(&id) = siblings.next() else {
                    indent.truncate(*outer);
                    open.pop();
                    continue;
                };
                let (branch, below) =
                    if siblings.len() == 0 { ("└── ", "    ") } else { ("├── ", "│   ") };
                let name = terminal(&label(self.get(id)));
                missing[id.index()] -= 1;
                if missing[id.index()] > 0 {
                    line(&mut out, format_args!("{indent}{branch}{name} (see below)"));
                } else {
                    line(&mut out, format_args!("{indent}{branch}{name}"));
                    open.push((self.dependents(id).iter(), indent.len()));
                    indent.push_str(below);
                }
            }
        }
        out
    }
}

fn is_needed(edges: Edges) -> bool {
    edges.contains(Edge::Needs)
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

/// Text inside a double-quoted DOT label, where Graphviz interprets backslashes and HTML entities.
fn dot(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text inside a double-quoted Mermaid label.
///
/// Mermaid interprets a label as HTML and as Markdown (a line that begins with `1.` is a list), and looks in it for
/// icons (`fa:fa-x`) and configuration (`%%{init}%%`). All but a few harmless characters become numeric entities.
fn mermaid(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut line_begins = true;
    for c in label.chars() {
        let harmless = c.is_alphabetic() || (!line_begins && (c.is_numeric() || " -./,()=".contains(c)));
        line_begins = c == '\n';
        match c {
            '\n' => out.push_str("<br/>"),
            c if harmless => out.push(c),
            c if c.is_control() => out.push_str("#32;"),
            c => {
                let _ = write!(out, "#{};", u32::from(c));
            }
        }
    }
    if out.is_empty() {
        // An empty string is a syntax error.
        out.push_str("#32;");
    }
    out
}

/// Text on one line of a terminal. Characters that would break the line, move the cursor or reverse the direction are
/// escaped.
fn terminal(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}
