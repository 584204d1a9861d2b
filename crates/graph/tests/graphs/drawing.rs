//! What drawings look like, and that they show everything once.

use crate::dags::{Dag, dags, graph_of};
use graph::{Edge, Graph, Node};
use proptest::prelude::*;
use std::{collections::BTreeSet, convert::Infallible};

/// Two configurations, a server that needs both, and what follows it.
fn a_server() -> Graph<&'static str> {
    let Ok(graph) = Graph::build(|g| {
        let config = g.add::<()>("ConfigMap core", ());
        let secret = g.add::<()>("Secret core", ());
        let server = g.add::<()>("Deployment core", (config, secret));
        g.add::<()>("Service core", ());
        let jobs = g.add::<()>("Deployment jobservice", (secret, server));
        g.add::<()>("Ingress", server);
        g.add::<()>("ScaledObject", jobs);
        Ok::<_, Infallible>(())
    });
    graph
}

fn one(label: &'static str) -> Graph<&'static str> {
    let Ok(graph) = Graph::build(|g| {
        let _: Node<'_, ()> = g.add(label, ());
        Ok::<_, Infallible>(())
    });
    graph
}

fn label(text: &&str) -> String {
    (*text).to_owned()
}

const HOSTILE: &str =
    "\"quoted\" \\N\\\n1. <b>&amp;</b> #35; fa:fa-x\n%%{init}%% `*_`\r\t\u{1b}[2J\u{202e}é\\";

#[test]
fn dot_lists_nodes_then_edges() {
    let expected = r#"digraph {
  rankdir=LR;
  node [shape=box];
  n0 [label="ConfigMap core"];
  n1 [label="Secret core"];
  n2 [label="Deployment core"];
  n3 [label="Service core"];
  n4 [label="Deployment jobservice"];
  n5 [label="Ingress"];
  n6 [label="ScaledObject"];
  n0 -> n2;
  n1 -> n2;
  n1 -> n4;
  n2 -> n4;
  n2 -> n5;
  n4 -> n6;
}
"#;
    assert_eq!(a_server().to_dot(label), expected);
}

#[test]
fn mermaid_lists_nodes_then_edges() {
    let expected = r#"flowchart LR
  n0["ConfigMap core"]
  n1["Secret core"]
  n2["Deployment core"]
  n3["Service core"]
  n4["Deployment jobservice"]
  n5["Ingress"]
  n6["ScaledObject"]
  n0 --> n2
  n1 --> n2
  n1 --> n4
  n2 --> n4
  n2 --> n5
  n4 --> n6
"#;
    assert_eq!(a_server().to_mermaid(label), expected);
}

#[test]
fn a_tree_shows_a_node_in_full_below_everything_it_waits_for() {
    let expected = "\
ConfigMap core
└── Deployment core (see below)
Secret core
├── Deployment core
│   ├── Deployment jobservice (see below)
│   └── Ingress
└── Deployment jobservice
    └── ScaledObject
Service core
";
    assert_eq!(a_server().to_tree(label), expected);
}

#[test]
fn an_empty_graph_can_be_drawn() {
    let graph = Graph::<&str>::build(|_| Ok::<_, Infallible>(())).unwrap();
    assert_eq!(graph.to_dot(label), "digraph {\n  rankdir=LR;\n  node [shape=box];\n}\n");
    assert_eq!(graph.to_mermaid(label), "flowchart LR\n");
    assert_eq!(graph.to_tree(label), "");
}

#[test]
fn a_hostile_label_stays_inside_its_dot_quotes() {
    let expected = concat!(
        r#"  n0 [label="\"quoted\" \\N\\\n1. <b>&amp;amp;</b> #35; fa:fa-x\n%%{init}%% `*_`   [2J"#,
        "\u{202e}é",
        r#"\\"];"#
    );
    assert_eq!(one(HOSTILE).to_dot(label).lines().nth(3), Some(expected));
}

#[test]
fn a_hostile_label_stays_text_in_mermaid() {
    let expected = concat!(
        "  n0[\"#34;quoted#34; #92;N#92;",
        "<br/>#49;. #60;b#62;#38;amp#59;#60;/b#62; #35;35#59; fa#58;fa-x",
        "<br/>#37;#37;#123;init#125;#37;#37; #96;#42;#95;#96;#32;#32;#32;#91;2J#8238;é#92;\"]"
    );
    assert_eq!(one(HOSTILE).to_mermaid(label).lines().nth(1), Some(expected));
    assert_eq!(one("").to_mermaid(label), "flowchart LR\n  n0[\"#32;\"]\n");
}

#[test]
fn a_hostile_label_stays_on_its_line_in_a_tree() {
    let expected = r#""quoted" \N\\n1. <b>&amp;</b> #35; fa:fa-x\n%%{init}%% `*_`\r\t\u{1b}[2J\u{202e}é\"#
        .to_owned()
        + "\n";
    assert_eq!(one(HOSTILE).to_tree(label), expected);
}

#[test]
fn a_deep_graph_can_be_drawn() {
    let before = |index: usize| index.checked_sub(1).map(|before| (before, Edge::Needs));
    let chain: Dag = (0..3000).map(|index| before(index).into_iter().collect()).collect();
    assert_eq!(graph_of(&chain).to_tree(usize::to_string).lines().count(), 3000);
}

/// The edges of a dag, as (from, to).
fn edges(dag: &Dag) -> BTreeSet<(usize, usize)> {
    drawn(dag).map(|(edge, _)| edge).collect()
}

/// The edges of a dag, as (from, to), and whether the former is needed.
fn drawn(dag: &Dag) -> impl Iterator<Item = ((usize, usize), bool)> {
    let after = |(to, after): (usize, &Vec<(usize, Edge)>)| -> Vec<_> {
        after.iter().map(|&(from, edge)| ((from, to), edge == Edge::Needs)).collect()
    };
    dag.iter().enumerate().flat_map(after)
}

/// Reads lines that look like `  n1 ARROW n2` back, with one arrow for what is needed and another for the rest.
fn parsed(drawing: &str, [needed, other]: [&str; 2], end_of_other: &str) -> Vec<((usize, usize), bool)> {
    let number = |id: &str| id.trim().trim_end_matches(';').strip_prefix('n')?.parse().ok();
    let edge = |line: &str, arrow: &str| {
        line.split_once(arrow).and_then(|(from, to)| Some((number(from)?, number(to)?)))
    };
    let either = |line: &str| {
        let other = || edge(line.strip_suffix(end_of_other)?, other).map(|edge| (edge, false));
        edge(line, needed).map(|edge| (edge, true)).or_else(other)
    };
    drawing.lines().filter_map(either).collect()
}

proptest! {
    #[test]
    fn every_node_and_edge_is_drawn_once(dag in dags(20)) {
        let graph = graph_of(&dag);
        let (dot, mermaid) = (graph.to_dot(usize::to_string), graph.to_mermaid(usize::to_string));
        let formats = [
            (dot, ["->", "->"], " [style=dashed];", " [label=\""),
            (mermaid, ["-->", "-.->"], "", "[\""),
        ];
        for (drawing, arrows, end, bracket) in formats {
            let found = parsed(&drawing, arrows, end);
            prop_assert_eq!(found, drawn(&dag).collect::<Vec<_>>());
            for node in 0..dag.len() {
                prop_assert_eq!(drawing.matches(&format!("  n{node}{bracket}")).count(), 1);
            }
        }
    }

    #[test]
    fn a_tree_shows_every_node_in_full_once_and_every_edge_once(dag in dags(20)) {
        let tree = graph_of(&dag).to_tree(usize::to_string);
        let (mut path, mut in_full, mut found) = (Vec::<usize>::new(), Vec::new(), Vec::new());
        for line in tree.lines() {
            let depth = line.chars().take_while(|c| !c.is_ascii_digit()).count() / 4;
            let (number, mark) = line.trim_start_matches(|c: char| !c.is_ascii_digit()).split_once(' ').map_or_else(
                || (line.trim_start_matches(|c: char| !c.is_ascii_digit()), None),
                |(number, mark)| (number, Some(mark)),
            );
            let node: usize = number.parse().unwrap();
            path.truncate(depth);
            found.extend(path.last().map(|&parent| (parent, node)));
            path.push(node);
            match mark {
                None => {
                    prop_assert!(dag[node].iter().all(|(blocker, _)| in_full.contains(blocker)), "{node} is too early");
                    in_full.push(node);
                }
                Some(mark) => prop_assert_eq!(mark, "(see below)"),
            }
        }
        prop_assert_eq!(found.len(), edges(&dag).len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), edges(&dag));
        in_full.sort_unstable();
        prop_assert_eq!(in_full, (0..dag.len()).collect::<Vec<_>>());
    }
}
