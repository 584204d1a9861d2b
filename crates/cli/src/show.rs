//! Shows a scene: a picture that is redrawn in place, or a line per change where there is no terminal.

use crate::{
    live::Live,
    scene::{Scene, Size, frame, line, width},
};
use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use std::{
    env,
    fmt::Write as _,
    io::{self, IsTerminal as _},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// How often a picture is redrawn while time passes: often enough for tenths of a second.
const TICK: Duration = Duration::from_millis(100);

/// How a scene is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Redrawn in place.
    Picture {
        /// Whether with colours.
        colour: bool,
    },
    /// A line per change.
    Lines,
}

impl Style {
    /// What fits standard output. A log on the same terminal would be drawn over, so with one there are lines.
    pub fn choose(logging: bool) -> Self {
        let dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
        if logging || dumb || !io::stdout().is_terminal() {
            return Self::Lines;
        }
        Self::Picture { colour: AutoStream::choice(&io::stdout()) != ColorChoice::Never }
    }

    /// Shows the scene until `stop` is cancelled, and then once more.
    pub async fn show(self, live: &Live, out: &mut (impl io::Write + Send), stop: &CancellationToken) {
        let mut changes = live.changes();
        let mut screen = Screen::default();
        loop {
            let last = stop.is_cancelled();
            let text = match self {
                Self::Lines => lines(live),
                Self::Picture { colour } => {
                    let size = size();
                    let picture = picture(live, colour, size);
                    if picture == screen.picture && !last {
                        String::new()
                    } else {
                        screen.draw(picture, size.width)
                    }
                }
            };
            // If nobody looks any more, there is nobody to show it to.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            if last {
                return;
            }
            let settled = self == Self::Lines || live.look(|scene| scene.is_settled());
            let change = async {
                if self != Self::Lines {
                    // Everything that happens within a moment is drawn once.
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

fn lines(live: &Live) -> String {
    let news = live.look(Scene::take_news);
    news.iter().map(|news| line(news) + "\n").collect()
}

fn picture(live: &Live, colour: bool, size: Size) -> String {
    let now = live.shown_time();
    // On some terminals, to erase what follows the last column erases that one, too.
    let size = Size { width: size.width.saturating_sub(1), ..size };
    let picture = live.look(|scene| {
        // A picture shows where things are; how they came there is of no use to it.
        scene.take_news();
        frame(scene, now, size)
    });
    if colour { picture } else { strip_str(&picture).to_string() }
}

fn size() -> Size {
    let size = terminal_size::terminal_size_of(io::stdout());
    let (width, height) = size.map_or((80, 24), |(width, height)| (width.0, height.0));
    Size { width: width.into(), height: height.into() }
}

/// A part of the terminal that is drawn over, in one write and without being cleared first, so that nothing flickers.
#[derive(Debug, Default)]
struct Screen {
    picture: String,
}

impl Screen {
    /// What to write to replace the last picture by this one on a terminal with so many columns.
    fn draw(&mut self, picture: String, columns: usize) -> String {
        let mut out = String::new();
        // A terminal that has become narrower shows a line of the last picture on several.
        let rows = |line: &str| width(&strip_str(line).to_string()).div_ceil(columns.max(1)).max(1);
        let above: usize = self.picture.lines().map(rows).sum();
        if above > 0 {
            // Writing to a string cannot fail.
            let _ = write!(out, "\x1b[{above}A\r");
        }
        for line in picture.lines() {
            out.push_str(line);
            out.push_str("\x1b[K\n");
        }
        out.push_str("\x1b[J");
        self.picture = picture;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn a_picture_replaces_the_one_before_and_what_is_left_of_it() {
        let mut screen = Screen::default();
        assert_eq!(screen.draw("a\nb\n".into(), 80), "a\x1b[K\nb\x1b[K\n\x1b[J");
        assert_eq!(screen.draw("c\n".into(), 80), "\x1b[2A\rc\x1b[K\n\x1b[J");
        assert_eq!(screen.draw("d\n".into(), 80), "\x1b[1A\rd\x1b[K\n\x1b[J");
    }

    #[test]
    fn what_a_narrower_terminal_has_wrapped_is_replaced_too() {
        let mut screen = Screen::default();
        screen.draw("\x1b[1mtwelve chars\x1b[0m\n\nfour\n".into(), 80);
        assert_eq!(screen.draw("d\n".into(), 5), "\x1b[5A\rd\x1b[K\n\x1b[J");
    }
}
