use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::{cell::RefCell, rc::Rc};

/// The value or the error, and how many events the parser emitted.
fn measured(text: &str) -> (Result<Value, String>, usize) {
    let steps = Rc::new(RefCell::new(0));
    let counter = Rc::clone(&steps);
    let options = budget::options().with_budget_report(move |report| *counter.borrow_mut() = report.events);
    let value = read(text, options).map_err(|fault| format!("{}; {}", fault.problem, fault.remedy));
    let steps = *steps.borrow();
    (value, steps)
}

const SHORTHAND: &str = "has an anchor, an alias or a merge key of YAML; write the value out in full, or put a text that \
                         begins with & or * into double quotes";
const LARGE: &str =
    "is larger than a setting can be, or nested deeper than 16 levels; write a shorter and flatter value";
const SYNTAX: &str = "is not YAML; put the text into double quotes";

#[test]
fn a_value_is_read_as_the_configuration_file_would_read_it() {
    let cases = [
        ("true", json!(true)),
        ("10", json!(10)),
        ("a text", json!("a text")),
        ("\"*quoted\"", json!("*quoted")),
        ("{a: [1, two]}", json!({"a": [1, "two"]})),
        ("a:\n- b: c\n", json!({"a": [{"b": "c"}]})),
    ];
    for (text, value) in cases {
        assert_eq!(measured(text).0, Ok(value), "{text}");
    }
}

#[test]
fn an_alias_bomb_is_refused_at_its_first_anchor() {
    let mut bomb = String::from("a0: &a0 [lol, lol, lol]\n");
    for level in 1..2_000 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        let line = format!("a{level}: &a{level} [{aliases}]\n");
        bomb += &line;
        if bomb.len() > budget::BYTES - 200 {
            break;
        }
    }
    let (value, steps) = measured(&bomb);
    assert_eq!(value, Err(SHORTHAND.into()));
    assert!(steps < 10, "{steps}");
}

#[test]
fn anchors_aliases_and_merge_keys_are_refused_with_what_to_write_instead() {
    for text in ["&a b", "*a", "[&a 1, *a]", "{a: &b {c: d}}", "<<: {a: b}", "a: b\n<<: {c: d}\n"] {
        assert_eq!(measured(text).0, Err(SHORTHAND.into()), "{text}");
    }
}

#[test]
fn deep_nesting_is_refused_at_the_level_that_is_too_deep() {
    let deepest = format!("{}1{}", "[".repeat(budget::DEPTH), "]".repeat(budget::DEPTH));
    assert!(measured(&deepest).0.is_ok());
    let flow = "[".repeat(budget::BYTES);
    let block = "- ".repeat(budget::BYTES / 2);
    let mapping: Vec<_> = (0..300).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    for text in [flow, block, mapping.concat()] {
        let (value, steps) = measured(&text);
        assert!(value.is_err());
        assert!(steps <= 2 * budget::DEPTH + 6, "{steps} steps into {}…", &text[..8]);
    }
}

#[test]
fn many_values_and_long_ones_are_refused() {
    let many = format!("[{}]", "1,".repeat(budget::BYTES / 3));
    let (value, steps) = measured(&many);
    assert_eq!(value, Err(LARGE.into()));
    assert!(steps <= budget::EVENTS, "{steps}");
    assert_eq!(measured(&"x".repeat(budget::BYTES)).0, Ok("x".repeat(budget::BYTES).into()));
    assert_eq!(measured(&"x".repeat(budget::BYTES + 1)), (Err(LARGE.into()), 0));
}

#[test]
fn a_second_document_is_refused() {
    let (value, steps) = measured(&"--- 1\n".repeat(5_000));
    assert_eq!(value, Err(SYNTAX.into()));
    assert!(steps < 20, "{steps}");
}

#[test]
fn what_is_said_of_a_text_does_not_quote_it() {
    for text in ["hunter2: [", "{hunter2", "&hunter2 a: *hunter2", "hunter2: 1\nhunter2: 2\n", "\"hunter2"] {
        let reported = measured(text).0.unwrap_err();
        assert!(!reported.contains("hunter2"), "{reported}");
    }
}

proptest! {
    #[test]
    fn no_text_takes_more_steps_than_the_budget(text in r#"(\PC|[\[\]{}&*:,\- \n<'"|>!%#?]){0,400}"#) {
        let (_, steps) = measured(&text);
        prop_assert!(steps <= budget::EVENTS + 1);
    }
}
