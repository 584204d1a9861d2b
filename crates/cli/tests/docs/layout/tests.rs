//! The rule on small crates.

use super::{
    Crate,
    source::{Module, Path, Source, Visibility},
};

const ROOT: &str = "mod high;\nmod low;\npub use low::Thing;\n";
const HIGH: &str = "//! Is above.\n//!\n//! Uses: low.\nuse crate::low::Thing;\n";
const LOW: &str = "//! Is below.\n//!\n//! Uses: nothing.\n";

/// What is found in a crate with these files, and those of a valid crate where none is given.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let valid = [("lib.rs", ROOT), ("high/mod.rs", HIGH), ("low/mod.rs", LOW)];
    let all = valid.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    Crate { files: all.collect() }.violations().iter().map(ToString::to_string).collect()
}

fn paths(text: &str, module: &[&str]) -> Vec<String> {
    Source::read(text, module).paths.iter().map(|path| path.segments.join("::")).collect()
}

#[test]
fn a_crate_whose_folders_import_downwards_is_valid() {
    assert_eq!(found(&[]), [""; 0]);
}

#[test]
fn an_import_against_the_direction_is_found_however_it_is_written() {
    const REMEDY: &str = "`high` uses `low`: move what `low` needs into a folder that both may use";
    for (text, line, path) in [
        ("use crate::high::Tower;", 1, "high::Tower"),
        ("use std::fmt;\nuse crate::{\n    Thing,\n    high::{self},\n};", 2, "high"),
        ("fn f() {\n    crate::high::build()\n}", 2, "high::build"),
        ("use super::super::high::Tower;", 1, "high::Tower"),
        ("mod inner {\n    use super::super::super::high;\n}", 2, "high"),
        ("pub(crate) use crate::high::Tower as T;", 1, "high::Tower"),
    ] {
        let expected = format!("low/part.rs:{line}: imports `crate::{path}`; {REMEDY}");
        assert_eq!(found(&[("low/part.rs", text)]), [expected], "{text}");
    }
}

#[test]
fn a_folder_that_is_not_named_is_to_be_added_where_that_makes_no_cycle() {
    let other = "//! Is beside.\n//!\n//! Uses: nothing.\nuse crate::low::Thing;\n";
    let expected = "other/mod.rs:4: imports `crate::low::Thing`; \
                    add `low` to the line `Uses` of other/mod.rs, or do without";
    assert_eq!(found(&[("other/mod.rs", other)]), [expected]);
}

#[test]
fn a_name_that_the_root_exports_belongs_to_its_folder() {
    let beside = "//! Is beside.\n//!\n//! Uses: nothing.\nuse crate::{Thing, operator};\n";
    let files = [("other/mod.rs", beside), ("operator.rs", "use crate::high;")];
    let expected = "other/mod.rs:4: imports `crate::Thing`; \
                    add `low` to the line `Uses` of other/mod.rs, or do without";
    assert_eq!(found(&files), [expected]);
}

#[test]
fn a_cycle_in_the_lines_is_found() {
    let low = "//! Is below.\n//!\n//! Uses: high.\nuse crate::high;\n";
    let expected = "src: the lines `Uses` form a cycle: high -> low -> high; \
                    move what one of them needs into a folder below the others";
    assert_eq!(found(&[("low/mod.rs", low)]), [expected]);
}

#[test]
fn a_cycle_through_a_file_in_the_root_is_found() {
    let root = format!("{ROOT}mod error;\npub use error::Fault;\n");
    for (low, error) in
        [("use crate::error::Fault;", "use crate::high::Tower;"), ("use crate::Fault;", "use super::high;")]
    {
        let files =
            [("lib.rs", root.as_str()), ("low/mod.rs", &format!("{LOW}{low}\n")), ("error.rs", error)];
        let expected = "src: imports of files in the root form a cycle: error -> high -> low -> error; \
                        move what one of them needs into a file that imports from no folder";
        assert_eq!(found(&files), [expected]);
    }
    let files = [("lib.rs", root.as_str()), ("error.rs", "use crate::high::Tower;")];
    assert_eq!(found(&files), [""; 0], "no folder imports it");
}

#[test]
fn a_folder_without_the_line_or_without_a_purpose_is_found() {
    let form = "has a line `Uses` in another form; write it as `//! Uses: a, b.`";
    let line =
        "has no line `//! Uses: …`, or several; write one, with the folders it imports from, or `nothing`";
    for (text, expected) in [
        ("//! Is below.\n", line),
        ("//! Is below.\n//! Uses: nothing.\n//! Uses: nothing.\n", line),
        ("//! Is below.\n//!\n//! Uses: nothing\n", form),
        (
            "//! Is below.\n//!\n//! Uses: cellar.\n",
            "the line `Uses` names `cellar`, which is no folder; correct it",
        ),
        ("//! Uses: nothing.\n", "does not say what the folder is for; begin with a sentence that does"),
    ] {
        assert_eq!(found(&[("low/mod.rs", text)]), [format!("low/mod.rs: {expected}")], "{text}");
    }
    let expected =
        "attic/mod.rs: does not exist; add it, with what the folder is for and a line `//! Uses: …`";
    assert_eq!(found(&[("attic.rs", "mod part;"), ("attic/part.rs", "")]), [expected]);
}

#[test]
fn a_folder_that_is_named_and_not_imported_is_found() {
    let high = HIGH.replace("use crate::low::Thing;", "");
    let expected = "high/mod.rs: the line `Uses` names `low`, which nothing in the folder imports; remove it from the line";
    assert_eq!(found(&[("high/mod.rs", &high)]), [expected]);
}

#[test]
fn a_public_submodule_of_a_folder_is_found() {
    for visibility in ["pub", "pub(crate)"] {
        let low = format!("{LOW}{visibility} mod part;\nmod other;\n");
        let expected =
            "low/mod.rs: the module `part` is public; write `mod part;` and re-export what others use of it";
        assert_eq!(found(&[("low/mod.rs", &low)]), [expected]);
    }
}

#[test]
fn importing_the_whole_root_is_found() {
    let expected = "low/part.rs:1: imports everything in the root of the crate; name what it needs";
    assert_eq!(found(&[("low/part.rs", "use crate::*;")]), [expected]);
}

#[test]
fn tests_comments_and_texts_do_not_count() {
    let import = "use crate::high::Tower;";
    let low = format!(
        "{LOW}//! [`crate::high`]\n#[cfg(test)]\nmod scenes;\n#[cfg(test)]\nmod tests;\n/* {import} /* */ {import} */\n\
         const A: &str = \"{import}\\\" {import}\"; const B: &str = r#\"{import}\" {import}\"#;\n\
         const C: char = '\\''; fn f<'a>() {{}} // {import}\n\
         #[cfg(test)]\npub(crate) {import}\n#[cfg(all(test, unix))]\nmod more {{\n    {import} mod x {{}}\n}}\n"
    );
    let files = [
        ("low/mod.rs", low.as_str()),
        ("low/tests.rs", import),
        ("low/scenes.rs", import),
        ("low/scenes/one.rs", import),
        ("tests/mod.rs", import),
        ("lib.rs", &format!("{ROOT}#[cfg(test)]\nmod tests;\n")),
    ];
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let tree = "use crate::{a::X, b::{Y, c::{self, Z as W}}, d::*};";
    assert_eq!(paths(tree, &["m"]), ["a::X", "b::Y", "b::c", "b::c::Z", "d::*"]);
    assert_eq!(paths("crate::a::f::<crate::b::T>()", &["m"]), ["a::f", "b::T"]);
    assert_eq!(paths("use super::{x, y::Z};", &["m", "n"]), ["m::x", "m::y::Z"]);
    assert_eq!(paths("pub(crate) struct A; pub(super) fn f(crate_: u8) {}", &["m"]), [""; 0]);
    assert_eq!(paths("mod a { fn f() { super::g() } }\nuse super::h;", &["m", "n"]), ["m::n::g", "m::h"]);
    let module = |name: &str, visibility| Module { name: name.into(), visibility };
    assert_eq!(
        Source::read("mod a;\npub mod b;\n#[cfg(test)]\nmod c;\nuse a::X as Y;\n", &[]),
        Source {
            modules: vec![
                module("a", Visibility::Private),
                module("b", Visibility::Public),
                module("c", Visibility::Test),
            ],
            paths: vec![Path { line: 5, segments: vec!["a".into(), "X".into()], alias: Some("Y".into()) }],
        }
    );
}
