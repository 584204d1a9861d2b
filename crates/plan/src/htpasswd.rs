//! Lines of htpasswd files with generated passwords.

use crate::Recipe;
use std::collections::BTreeMap;

/// The cost of a bcrypt hash of a generated password: the lowest that bcrypt allows.
///
/// The cost protects passwords that can be guessed, and a password of random characters cannot. The registry spends the
/// cost on every request.
pub const BCRYPT_COST: u32 = 4;

/// A line that is more expensive to check than its generated password requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpensiveLine<'a> {
    /// The key of the Secret that holds it.
    pub key: &'a str,
    /// The name of the user in the line.
    pub user: &'a str,
    /// The bcrypt hash.
    pub hash: &'a str,
    /// The password that the hash should belong to. Only bcrypt can verify that.
    pub password: &'a [u8],
}

/// The generated lines of a Secret with this `data` that are expensive.
///
/// Lines that a user wrote are left out. A generated line is the only line of its key, has the user of the recipe, and
/// its Secret has a password of the generated length.
pub fn expensive_lines<'a>(
    generate: &'a BTreeMap<String, Recipe>,
    data: &'a BTreeMap<String, Vec<u8>>,
) -> Vec<ExpensiveLine<'a>> {
    let line = |(key, recipe): (&'a String, &'a Recipe)| {
        let Recipe::Htpasswd { user, password } = recipe else { return None };
        let Some(Recipe::Alphanumeric { length }) = generate.get(password) else { return None };
        let password = data.get(password).filter(|password| password.len() == *length)?;
        let text = std::str::from_utf8(data.get(key)?).ok()?;
        let hash = text.trim_end_matches('\n').strip_prefix(user.as_str())?.strip_prefix(':')?;
        (cost(hash)? > BCRYPT_COST).then_some(ExpensiveLine { key, user, hash, password })
    };
    generate.iter().filter_map(line).collect()
}

/// The cost of a bcrypt hash; `None` for any other text, also for several lines.
fn cost(hash: &str) -> Option<u32> {
    let hash = ["$2a$", "$2b$", "$2y$"].iter().find_map(|prefix| hash.strip_prefix(prefix))?;
    let (cost, rest) = hash.split_once('$')?;
    let is_digest =
        rest.len() == 53 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./".contains(&byte));
    cost.parse().ok().filter(|_| is_digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "$2b$10$abcdefghijklmnopqrstuuxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01";

    fn found(line: &str, password: &str) -> Vec<(String, String)> {
        let generate = BTreeMap::from([
            ("secret".to_owned(), Recipe::Alphanumeric { length: 8 }),
            ("htpasswd".to_owned(), Recipe::Htpasswd { user: "harbor".into(), password: "secret".into() }),
        ]);
        let data = [("secret", password), ("htpasswd", line), ("theirs", line)];
        let data = data.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into();
        let line = |line: &ExpensiveLine<'_>| {
            assert_eq!((line.user, line.password), ("harbor", password.as_bytes()));
            (line.key.to_owned(), line.hash.to_owned())
        };
        expensive_lines(&generate, &data).iter().map(line).collect()
    }

    #[test]
    fn a_generated_line_above_the_lowest_cost_is_expensive() {
        let expected = [("htpasswd".to_owned(), HASH.to_owned())];
        assert_eq!(found(&format!("harbor:{HASH}"), "12345678"), expected);
        assert_eq!(
            found(&format!("harbor:{HASH}\n"), "12345678"),
            expected,
            "as the old operator may have ended it"
        );
    }

    #[test]
    fn a_line_that_a_user_wrote_is_left_alone() {
        let line = format!("harbor:{HASH}");
        for (theirs, why) in [
            (format!("{line}\n{line}"), "several lines"),
            (format!("# mine\n{line}"), "a comment"),
            (format!("someone:{HASH}"), "another user"),
            (format!("harbor2:{HASH}"), "a user with a longer name"),
            (line.replace("$10$", "$04$"), "as cheap as can be"),
            (line.replace("$2b$", "$apr1$"), "not bcrypt"),
            ("harbor:$2b$10$x".into(), "no hash"),
            (String::new(), "nothing"),
        ] {
            assert_eq!(found(&theirs, "12345678"), [], "{why}");
        }
        assert_eq!(found(&line, "short"), [], "a password of another length");
    }
}
