//! What the layout rule needs to know of a Rust file: which modules it declares and which paths it names.
//!
//! Comments, literals and everything under `#[cfg(test)]` do not count.

/// What a file says, tests left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Modules in files of their own.
    pub modules: Vec<Module>,
    /// Paths from the root of the crate, whether imported or written inline. In the root itself, all that is imported.
    pub paths: Vec<Path>,
}

/// `mod name;`
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub visibility: Visibility,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Private,
    Public,
    Test,
}

/// One path, with the segments after `crate`.
#[derive(Debug, PartialEq, Eq)]
pub struct Path {
    pub line: usize,
    pub segments: Vec<String>,
    /// The name that a `use` gives to it, if it gives one.
    pub alias: Option<String>,
}

impl Source {
    /// Reads the file of a module; `module` is its path in the crate, empty for the root.
    pub fn read(text: &str, module: &[&str]) -> Self {
        let mut reader = Reader {
            tokens: tokens(text),
            at: 0,
            module: module.iter().map(ToString::to_string).collect(),
            closes: Vec::new(),
            depth: 0,
            source: Self::default(),
        };
        reader.read();
        reader.source
    }
}

#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut rest, mut line, mut tokens) = (text, 1, Vec::new());
    while !rest.is_empty() {
        let (length, counts) = next(rest);
        let (text, after) = rest.split_at(length);
        if counts {
            tokens.push(Token { text, line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// The length of what a text begins with, and whether it counts.
fn next(rest: &str) -> (usize, bool) {
    let first = rest.chars().next().unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| text.find(|c| !is_word(c)).unwrap_or(text.len());
    if rest.starts_with("//") {
        (rest.find('\n').unwrap_or(rest.len()), false)
    } else if rest.starts_with("/*") {
        (block_comment(rest), false)
    } else if let Some(length) = raw_string(rest) {
        (length, false)
    } else if first == '"' {
        (quoted(rest, '"'), false)
    } else if first == '\'' {
        let is_character = rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'');
        (if is_character { quoted(rest, '\'') } else { 1 + word(&rest[1..]) }, false)
    } else if rest.starts_with("::") {
        (2, true)
    } else if is_word(first) {
        (word(rest), true)
    } else {
        (first.len_utf8(), !first.is_whitespace())
    }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let length = if rest[at..].starts_with("/*") {
            depth += 1;
            2
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest[at..].chars().next().map_or(1, char::len_utf8)
        };
        at += length;
        if depth == 0 {
            break;
        }
    }
    at
}

fn raw_string(rest: &str) -> Option<usize> {
    let marked = rest.trim_start_matches(['b', 'c']);
    let hashes = marked.strip_prefix('r')?;
    let inner = hashes.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(hashes.len() - inner.len()));
    let content = inner.strip_prefix('"')?;
    let close = content.find(&end).map_or(content.len(), |at| at + end.len());
    Some(rest.len() - content.len() + close)
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    /// The module that is being read.
    module: Vec<String>,
    /// The depths at which the inline modules around it close.
    closes: Vec<usize>,
    depth: usize,
    source: Source,
}

impl<'a> Reader<'a> {
    fn text(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text)
    }

    fn read(&mut self) {
        while self.at < self.tokens.len() {
            match self.text(0) {
                "#" if self.is_test_attribute() => self.skip_test_item(),
                "mod" => self.module_item(),
                "crate" if self.text(1) == "::" => self.path(Vec::new(), 2),
                "super" if self.text(1) == "::" => self.relative(),
                "use" if self.module.is_empty() && !matches!(self.text(1), "crate" | "super") => {
                    self.path(Vec::new(), 1);
                }
                "{" => {
                    self.depth += 1;
                    self.at += 1;
                }
                "}" => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.closes.last() == Some(&self.depth) {
                        self.closes.pop();
                        self.module.pop();
                    }
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    /// `#[cfg(test)]`, or `#[cfg(all(test, …))]`.
    fn is_test_attribute(&self) -> bool {
        let cfg = [1, 2, 3].map(|ahead| self.text(ahead)) == ["[", "cfg", "("];
        let all = [4, 5, 6].map(|ahead| self.text(ahead)) == ["all", "(", "test"];
        cfg && (all || self.text(4) == "test")
    }

    fn skip_test_item(&mut self) {
        while self.text(0) == "#" {
            self.at += 1;
            self.skip_group("[", "]");
        }
        while !matches!(self.text(0), "" | ";" | "{") {
            if self.text(0) == "mod" && self.text(2) == ";" {
                let name = self.text(1).to_owned();
                self.source.modules.push(Module { name, visibility: Visibility::Test });
            }
            self.at += 1;
        }
        if self.text(0) == "{" {
            self.skip_group("{", "}");
        }
    }

    fn skip_group(&mut self, open: &str, close: &str) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            let text = self.text(0);
            depth += usize::from(text == open);
            depth -= usize::from(text == close && depth > 0);
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    fn module_item(&mut self) {
        let name = self.text(1).to_owned();
        match self.text(2) {
            ";" => {
                let before = self.at.checked_sub(1).map_or("", |at| self.tokens[at].text);
                let public = matches!(before, "pub" | ")");
                let visibility = if public { Visibility::Public } else { Visibility::Private };
                self.source.modules.push(Module { name, visibility });
            }
            "{" => {
                self.closes.push(self.depth);
                self.module.push(name);
            }
            _ => {}
        }
        self.at += 2;
    }

    fn relative(&mut self) {
        let mut up = 0;
        while self.text(2 * up) == "super" && self.text(2 * up + 1) == "::" {
            up += 1;
        }
        let outer = self.module.len().saturating_sub(up);
        self.path(self.module[..outer].to_vec(), 2 * up);
    }

    /// A path, or a tree of paths, after the first `skipped` tokens of it.
    fn path(&mut self, prefix: Vec<String>, skipped: usize) {
        let line = self.tokens[self.at].line;
        self.at += skipped;
        self.tree(prefix, line);
    }

    fn tree(&mut self, mut segments: Vec<String>, line: usize) {
        loop {
            if self.text(0) == "{" {
                self.at += 1;
                while !matches!(self.text(0), "" | "}") {
                    self.tree(segments.clone(), line);
                    self.at += usize::from(self.text(0) == ",");
                }
                self.at += 1;
                return;
            }
            if self.text(0) != "self" {
                segments.push(self.text(0).to_owned());
            }
            self.at += 1;
            let goes_on = |text: &str| {
                text == "{" || text == "*" || text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            };
            if self.text(0) != "::" || !goes_on(self.text(1)) {
                break;
            }
            self.at += 1;
        }
        let alias = (self.text(0) == "as").then(|| self.text(1).to_owned());
        self.at += if alias.is_some() { 2 } else { 0 };
        self.source.paths.push(Path { line, segments, alias });
    }
}
