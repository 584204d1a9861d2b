//! The table of messages: the numbers of fields.

use std::{collections::HashMap, sync::LazyLock};

/// The fields of a message, if clients send it: `apps.Deployment`.
pub(super) fn message(name: &str) -> Option<&'static Message> {
    MESSAGES.get(name)
}

static MESSAGES: LazyLock<HashMap<&'static str, Message>> = LazyLock::new(|| {
    include_str!("messages.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split(' ');
            let full = words.next()?;
            let (_, name) = full.split_once('.')?;
            Some((full, Message { name, fields: words.filter_map(Field::parse).collect() }))
        })
        .collect()
});

#[derive(Debug)]
pub(super) struct Message {
    /// Without its package.
    pub name: &'static str,
    pub fields: Vec<Field>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub number: u32,
    pub place: Place,
    pub shape: Shape,
}

/// How the value of a field is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Named(&'static str),
    /// The same, unless it is empty.
    Filled(&'static str),
    /// Its fields are fields of the surrounding object.
    Inline,
    /// It is the value of the whole message.
    Whole,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Boolean,
    Small,
    Large,
    Float,
    Bytes,
    Time,
    MicroTime,
    Quantity,
    NumberOrText,
    Raw,
    List(Box<Shape>),
    Map(Box<Shape>),
    Message(&'static str),
}

impl Field {
    fn parse(word: &'static str) -> Option<Self> {
        let (number, rest) = word.split_at(word.find([':', '^', '='])?);
        let number = number.parse().ok()?;
        let (place, shape) = match rest.split_at(1) {
            (":", rest) => {
                let (name, rest) = rest.split_at(rest.find(['!', '?'])?);
                match rest.split_at(1) {
                    ("!", shape) => (Place::Named(name), shape),
                    (_, shape) => (Place::Filled(name), shape),
                }
            }
            ("^", shape) => (Place::Inline, shape),
            (_, shape) => (Place::Whole, shape),
        };
        Some(Self { number, place, shape: Shape::parse(shape) })
    }
}

impl Message {
    pub fn field(&self, number: u32) -> Option<&Field> {
        self.fields.iter().find(|field| field.number == number)
    }

    /// Whether it encodes something other than an object.
    pub fn is_a_wrapper(&self) -> bool {
        self.fields.iter().any(|field| field.place == Place::Whole)
    }
}

impl Shape {
    fn parse(word: &'static str) -> Self {
        match word {
            "s" => Self::Text,
            "b" => Self::Boolean,
            "n" => Self::Small,
            "i" => Self::Large,
            "f" => Self::Float,
            "y" => Self::Bytes,
            "T" => Self::Time,
            "M" => Self::MicroTime,
            "Q" => Self::Quantity,
            "X" => Self::NumberOrText,
            "R" => Self::Raw,
            _ => match (word.strip_prefix("[]"), word.strip_prefix("{}")) {
                (Some(item), _) => Self::List(Box::new(Self::parse(item))),
                (_, Some(item)) => Self::Map(Box::new(Self::parse(item))),
                _ => Self::Message(word),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MESSAGES, Shape};
    use crate::{go, kinds::Kinds};

    fn referred(shape: &Shape) -> Option<&'static str> {
        match shape {
            Shape::Message(name) => Some(name),
            Shape::List(item) | Shape::Map(item) => referred(item),
            _ => None,
        }
    }

    #[test]
    fn every_kind_that_is_served_has_its_message() {
        for kind in Kinds::builtin().iter() {
            let name = format!("{}.{}", go::package(&kind.group), kind.kind);
            assert!(MESSAGES.contains_key(name.as_str()), "{name}");
            for extra in kind.subresources.extra {
                let group = extra.foreign.map_or(kind.group.as_str(), |(group, _)| group);
                let name = format!("{}.{}", go::package(group), extra.kind);
                assert!(MESSAGES.contains_key(name.as_str()), "{name}");
            }
        }
    }

    #[test]
    fn every_message_that_a_field_refers_to_is_known_and_no_number_is_used_twice() {
        let mut messages = 0;
        for (name, message) in MESSAGES.iter() {
            messages += 1;
            let mut numbers: Vec<u32> = message.fields.iter().map(|field| field.number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), message.fields.len(), "{name}");
            for other in message.fields.iter().filter_map(|field| referred(&field.shape)) {
                assert!(MESSAGES.contains_key(other), "{name} refers to {other}");
            }
        }
        let lines = include_str!("messages.txt").lines().filter(|line| !line.starts_with('#'));
        let words: usize = lines.clone().map(|line| line.split(' ').count() - 1).sum();
        let fields: usize = MESSAGES.values().map(|message| message.fields.len()).sum();
        assert_eq!((messages, fields), (lines.count(), words), "every word of the table is understood");
    }
}
