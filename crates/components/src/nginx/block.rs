//! The syntax of nginx's configuration files.

use std::fmt;

/// Directives in the order they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block(Vec<Directive>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Directive {
    name: &'static str,
    arguments: Vec<String>,
    block: Option<Block>,
}

impl Block {
    /// Adds a simple directive.
    #[must_use]
    pub fn with<A: Into<String>>(self, name: &'static str, arguments: impl IntoIterator<Item = A>) -> Self {
        self.push(name, arguments, None)
    }

    /// Adds a directive with a block.
    #[must_use]
    pub fn with_block<A: Into<String>>(
        self,
        name: &'static str,
        arguments: impl IntoIterator<Item = A>,
        block: Self,
    ) -> Self {
        self.push(name, arguments, Some(block))
    }

    /// Adds the directives of another block.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn push<A: Into<String>>(
        mut self,
        name: &'static str,
        arguments: impl IntoIterator<Item = A>,
        block: Option<Self>,
    ) -> Self {
        self.0.push(Directive { name, arguments: arguments.into_iter().map(Into::into).collect(), block });
        self
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = depth * 4;
        for Directive { name, arguments, block } in &self.0 {
            write!(f, "{:indent$}{name}", "")?;
            arguments.iter().try_for_each(|argument| write!(f, " {}", Word(argument)))?;
            match block {
                None => writeln!(f, ";")?,
                Some(block) => {
                    writeln!(f, " {{")?;
                    block.write(f, depth + 1)?;
                    writeln!(f, "{:indent$}}}", "")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// An argument, quoted if nginx would otherwise end it early.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}' | '"' | '\'' | '\\' | '#');
        if !self.0.is_empty() && !self.0.contains(special) {
            return f.write_str(self.0);
        }
        write!(f, "\"{}\"", self.0.replace('\\', r"\\").replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_end_and_blocks_close_at_the_depth_they_opened() {
        let location = Block::default().with("return", ["404"]);
        let server =
            Block::default().with("listen", ["8443", "ssl"]).with_block("location", ["/v1/"], location);
        let file = Block::default().with("worker_processes", ["auto"]).with_block("server", [""; 0], server);
        let expected = "\
worker_processes auto;
server {
    listen 8443 ssl;
    location /v1/ {
        return 404;
    }
}
";
        assert_eq!(file.to_string(), expected);
    }

    #[test]
    fn no_argument_ends_before_it_ends() {
        for (argument, expected) in [
            ("$host", "$host"),
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("a; evil on", r#""a; evil on""#),
            ("} server {", r#""} server {""#),
            (r#"say "x" \"#, r#""say \"x\" \\""#),
            ("frame-ancestors 'none'", r#""frame-ancestors 'none'""#),
        ] {
            assert_eq!(Word(argument).to_string(), expected);
        }
    }
}
