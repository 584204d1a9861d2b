//! Merges two texts line by line, by their longest common subsequence.

use super::fold::Side;

/// All lines of both texts, with common lines once. Finds as many common lines as possible.
pub(super) fn merged(before: Vec<String>, after: Vec<String>) -> Vec<(Side, String)> {
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let (head, before) = before.split_at(same);
    let after = &after[same..];
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let (before, tail) = before.split_at(before.len() - tail);
    let after = &after[..after.len() - tail.len()];

    let both = |line: &String| (Side::Both, line.clone());
    let mut lines: Vec<_> = head.iter().map(both).collect();
    let common = common(before, after);
    let (mut i, mut j) = (0, 0);
    while i < before.len() || j < after.len() {
        if i < before.len() && j < after.len() && before[i] == after[j] {
            lines.push(both(&before[i]));
            (i, j) = (i + 1, j + 1);
        } else if j >= after.len() || (i < before.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push((Side::Before, before[i].clone()));
            i += 1;
        } else {
            lines.push((Side::After, after[j].clone()));
            j += 1;
        }
    }
    lines.extend(tail.iter().map(both));
    lines
}

/// The number of common lines after each pair of positions in the two texts.
fn common(before: &[String], after: &[String]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; after.len() + 1]; before.len() + 1];
    for i in (0..before.len()).rev() {
        for j in (0..after.len()).rev() {
            common[i][j] = if before[i] == after[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    common
}
