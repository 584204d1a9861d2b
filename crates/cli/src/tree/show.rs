//! Shows a tree while it changes: redrawn in place on a terminal, and as lines elsewhere.

use super::{
    Live, Tree,
    frame::{Size, frame},
};
use crate::output::width;
use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use std::{
    env,
    fmt::Write as _,
    io::{self, IsTerminal as _},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// How often a drawing is repeated while time passes: often enough for tenths of a second.
const TICK: Duration = Duration::from_millis(100);

/// How a tree is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Redrawn in place.
    Drawing {
        /// Whether with colours.
        colour: bool,
    },
    /// A line when an object becomes ready, waits or fails.
    Lines,
}

impl Style {
    /// The style for standard output. A drawing would overwrite a log on the same terminal, so with a log it is lines.
    pub fn choose(logging: bool) -> Self {
        let dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
        if logging || dumb || !io::stdout().is_terminal() {
            return Self::Lines;
        }
        Self::Drawing { colour: AutoStream::choice(&io::stdout()) != ColorChoice::Never }
    }

    /// Shows the tree until `stop` is cancelled, and then once more.
    pub async fn show(self, live: &Live, out: &mut (impl io::Write + Send), stop: &CancellationToken) {
        let mut changes = live.changes();
        let mut screen = Screen::default();
        loop {
            let last = stop.is_cancelled();
            let text = match self {
                Self::Lines => live.take_lines(),
                Self::Drawing { colour } => {
                    let size = size();
                    let drawing = drawing(live, colour, size);
                    if drawing == screen.drawing && !last {
                        String::new()
                    } else {
                        screen.draw(drawing, size.width)
                    }
                }
            };
            // A reader that has gone is no failure.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            if last {
                return;
            }
            let settled = self == Self::Lines || live.read(Tree::is_settled);
            let change = async {
                if self != Self::Lines {
                    // Changes that follow each other at once are drawn together.
                    tokio::time::sleep(TICK / 2).await;
                }
                let _ = changes.changed().await;
            };
            let passing =
                async { if settled { std::future::pending().await } else { tokio::time::sleep(TICK).await } };
            tokio::select! {
                () = stop.cancelled() => {}
                () = change => {}
                () = passing => {}
            }
        }
    }
}

fn drawing(live: &Live, colour: bool, size: Size) -> String {
    let now = live.shown_time();
    // On some terminals, erasing what follows the last column erases that column as well.
    let size = Size { width: size.width.saturating_sub(1), ..size };
    // A drawing shows states, not the changes that led to them.
    live.take_lines();
    let (roots, details) = live.drawn();
    let drawing = frame(&roots, &details, now, size);
    if colour { drawing } else { strip_str(&drawing).to_string() }
}

fn size() -> Size {
    let size = terminal_size::terminal_size_of(io::stdout());
    let (width, height) = size.map_or((80, 24), |(width, height)| (width.0, height.0));
    Size { width: width.into(), height: height.into() }
}

/// A part of the terminal that is overwritten in one write, without being cleared first, so that nothing flickers.
#[derive(Debug, Default)]
struct Screen {
    drawing: String,
}

impl Screen {
    /// The text that replaces the last drawing by this one on a terminal with so many columns.
    fn draw(&mut self, drawing: String, columns: usize) -> String {
        let mut out = String::new();
        // A terminal that has become narrower shows a line of the last drawing on several.
        let rows = |line: &str| width(&strip_str(line).to_string()).div_ceil(columns.max(1)).max(1);
        let above: usize = self.drawing.lines().map(rows).sum();
        if above > 0 {
            // Writing to a string cannot fail.
            let _ = write!(out, "\x1b[{above}A\r");
        }
        for line in drawing.lines() {
            out.push_str(line);
            out.push_str("\x1b[K\n");
        }
        out.push_str("\x1b[J");
        self.drawing = drawing;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn a_drawing_replaces_the_one_before_and_what_is_left_of_it() {
        let mut screen = Screen::default();
        assert_eq!(screen.draw("a\nb\n".into(), 80), "a\x1b[K\nb\x1b[K\n\x1b[J");
        assert_eq!(screen.draw("c\n".into(), 80), "\x1b[2A\rc\x1b[K\n\x1b[J");
        assert_eq!(screen.draw("d\n".into(), 80), "\x1b[1A\rd\x1b[K\n\x1b[J");
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_wrapped_are_replaced_too() {
        let mut screen = Screen::default();
        screen.draw("\x1b[1mtwelve chars\x1b[0m\n\nfour\n".into(), 80);
        assert_eq!(screen.draw("d\n".into(), 5), "\x1b[5A\rd\x1b[K\n\x1b[J");
    }
}
