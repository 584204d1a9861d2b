//! How bad a vulnerability is.

use crate::version::{Change, Version};

/// How bad a vulnerability is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    None,
    Low,
    Medium,
    High,
    Critical,
    Unknown,
}

impl Severity {
    /// Any text is a severity; most are the unknown one. Version 2.5 knows a word in small letters and capitalized only.
    pub fn parse(text: &str, version: Version) -> Self {
        let lower = text.to_ascii_lowercase();
        let mut letters = text.chars();
        letters.next();
        let capitals = letters.any(|letter| letter.is_ascii_uppercase());
        if capitals && !version.has(Change::ReadsSeverityInCapitals) {
            return Self::Unknown;
        }
        match lower.as_str() {
            "none" | "negligible" => Self::None,
            "low" => Self::Low,
            "medium" => Self::Medium,
            "high" => Self::High,
            "critical" => Self::Critical,
            _ => Self::Unknown,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
            Self::Unknown => "unknown",
        }
    }
}
