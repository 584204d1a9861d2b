//! Objects as text.

use super::Error;
use clap::ValueEnum;
use plan::Readable;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The format of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// One document per object
    Yaml,
    /// One List of all objects
    Json,
}

/// An object, with notes for readers.
#[derive(Debug)]
pub struct Printed<'a> {
    /// One line each, as comments; JSON omits them.
    pub notes: &'a [String],
    /// The object.
    pub object: &'a Value,
}

impl Output {
    /// The objects, in this order.
    pub fn text<'a>(self, objects: impl Iterator<Item = Printed<'a>>) -> Result<String, Error> {
        match self {
            Self::Yaml => objects.map(|printed| yaml(&printed)).collect(),
            Self::Json => {
                let items: Vec<_> = objects.map(|printed| printed.object).collect();
                let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
                let text = serde_json::to_string_pretty(&Readable(&list));
                let text = text
                    .map_err(|error| Error::Encode { object: "List".into(), problem: error.to_string() })?;
                Ok(text + "\n")
            }
        }
    }
}

/// A document that begins with its marker, so that outputs can be concatenated.
fn yaml(printed: &Printed<'_>) -> Result<String, Error> {
    let mut text = String::from("---\n");
    for note in printed.notes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {note}");
    }
    // Long lines are not folded; text of several lines becomes a literal block either way.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_fmt_writer_with_options(&mut text, &Readable(printed.object), options).map_err(
        |error| {
            let [kind, name] = ["/kind", "/metadata/name"].map(|pointer| printed.object.pointer(pointer));
            let name =
                [kind, name].into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
            Error::Encode { object: name, problem: error.to_string() }
        },
    )?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
