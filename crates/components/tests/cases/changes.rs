//! What changed between two texts of YAML, line by line, each change below the place where it is.

use std::fmt::Write;

/// The lines that went and that came, in order; nothing if the texts are the same.
pub fn changes(before: &str, after: &str) -> String {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let common = common_ends(&before, &after);
    let (mut from, mut to) = (0, 0);
    let (mut text, mut place) = (String::new(), String::new());
    let mut write = |lines: &[&str], at: usize, sign: char| {
        let here = path(lines, at);
        if place != here {
            writeln!(text, "@ {here}").unwrap();
            place = here;
        }
        writeln!(text, "{sign} {}", lines[at]).unwrap();
    };
    while from < before.len() || to < after.len() {
        if from < before.len() && to < after.len() && before[from] == after[to] {
            (from, to) = (from + 1, to + 1);
        } else if to == after.len() || (from < before.len() && common[from + 1][to] >= common[from][to + 1]) {
            write(&before, from, '-');
            from += 1;
        } else {
            write(&after, to, '+');
            to += 1;
        }
    }
    text
}

/// How many lines the rests of both texts have in common, by where the rests begin.
fn common_ends(before: &[&str], after: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; after.len() + 1]; before.len() + 1];
    for from in (0..before.len()).rev() {
        for to in (0..after.len()).rev() {
            common[from][to] = if before[from] == after[to] {
                common[from + 1][to + 1] + 1
            } else {
                common[from + 1][to].max(common[from][to + 1])
            };
        }
    }
    common
}

/// The object a line is in, and the lines it is below, without their values.
fn path(lines: &[&str], at: usize) -> String {
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let mut above = Vec::new();
    let mut limit = depth(lines[at]);
    let mut start = at;
    for (number, line) in lines[..at].iter().enumerate().rev().filter(|(_, line)| !line.is_empty()) {
        if *line == "---" {
            break;
        }
        start = number;
        if depth(line) < limit {
            limit = depth(line);
            above.push(line.trim_start_matches([' ', '-']).trim_end_matches([':', '|', '-', ' ']));
        }
    }
    let value = |key: &str| lines[start..].iter().find_map(|line| line.trim_start().strip_prefix(key));
    above.reverse();
    format!("{} {}: {}", value("kind: ").unwrap_or("?"), value("name: ").unwrap_or("?"), above.join(", "))
}
