//! The static files of the page.

use axum::{Router, response::IntoResponse, routing::get};
use http::header::CONTENT_TYPE;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");
const ICON: &str = include_str!("../assets/icon.svg");

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/page.css", get(async || file("text/css; charset=utf-8", STYLE)))
        .route("/page.js", get(async || file("text/javascript; charset=utf-8", SCRIPT)))
        .route("/icon.svg", get(async || file("image/svg+xml", ICON)))
        // Browsers request it for pages that name no icon.
        .route("/favicon.ico", get(async || file("image/svg+xml", ICON)))
}

fn file(kind: &'static str, content: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], content)
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, STYLE};
    use std::collections::BTreeMap;

    /// The colours of each theme, by name.
    fn themes() -> Vec<BTreeMap<&'static str, u32>> {
        let blocks = STYLE.split(":root {").skip(1).map(|block| block.split('}').next().unwrap_or_default());
        let colour = |line: &'static str| {
            let (name, value) = line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": #")?;
            Some((name, u32::from_str_radix(value, 16).ok()?))
        };
        blocks.map(|block| block.lines().filter_map(colour).collect()).collect()
    }

    /// The relative luminance of WCAG.
    fn luminance(colour: u32) -> f64 {
        let linear = |shift: u32| {
            let part = f64::from((colour >> shift) & 0xff) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
    }

    fn contrast(one: u32, other: u32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn everything_can_be_read_by_day_and_by_night() {
        let themes = themes();
        assert_eq!(themes.len(), 2);
        for theme in themes {
            let read = |ink: &str, paper: &str| contrast(theme[ink], theme[paper]);
            for paper in ["ground", "card", "well"] {
                for ink in ["ink", "muted", "link", "ready", "waiting", "failed", "idle"] {
                    assert!(read(ink, paper) >= 4.5, "{ink} on {paper}: {}", read(ink, paper));
                }
                assert!(read("strong", paper) >= 3.0, "lines that mean something on {paper}");
                assert!(read("focus", paper) >= 3.0, "who has the focus on {paper}");
            }
            for state in ["ready", "waiting", "failed", "idle"] {
                for ink in ["ink", "muted", "link", state] {
                    let paper = format!("{state}-tint");
                    assert!(read(ink, &paper) >= 4.5, "{ink} on {paper}: {}", read(ink, &paper));
                }
            }
        }
    }

    #[test]
    fn nothing_moves() {
        assert!(!STYLE.contains("transition") && !STYLE.contains("animation"));
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        for file in [STYLE, SCRIPT] {
            assert!(!file.contains("://") && !file.contains("url(") && !file.contains("@import"));
        }
    }
}
