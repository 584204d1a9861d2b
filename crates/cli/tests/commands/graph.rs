use crate::run::{Folder, failed, names};

#[test]
fn the_tree_begins_with_the_owner_and_holds_every_child() {
    let folder = Folder::with_a_core();
    let ran = folder.run("graph -f core.yaml --inputs inputs");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let mut drawn = ran
        .stdout
        .lines()
        .filter(|line| !line.ends_with(" (see below)"))
        .map(|line| line.trim_start_matches(|c: char| !c.is_alphabetic()).to_owned());
    assert_eq!(drawn.next().as_deref(), Some("Core harbor"));
    let mut drawn: Vec<_> = drawn.collect();
    let mut rendered = names(&folder.run("render -f core.yaml --inputs inputs").stdout);
    drawn.sort();
    rendered.sort();
    assert_eq!(drawn, rendered);
}

#[test]
fn other_formats_are_for_other_programs() {
    let folder = Folder::with_a_core();
    for (format, first) in [("dot", "digraph {"), ("mermaid", "flowchart LR"), ("tree", "Core harbor")] {
        let ran = folder.run(&format!("graph -f core.yaml --inputs inputs --format {format}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert_eq!(ran.stdout.lines().next(), Some(first));
        assert!(ran.stdout.contains("Deployment harbor-core"), "{}", ran.stdout);
    }
}

#[test]
fn what_must_be_known_to_draw_is_named() {
    let folder = Folder::with_a_core();
    let expected = "\
error: Core default/harbor: Secret default/postgres does not exist; put it into a file in --inputs DIR or give its file with -f
";
    let ran = folder.remove("inputs/postgres.json").run("graph -f core.yaml --inputs inputs");
    assert_eq!(ran, failed(expected));
}
