//! What the names of an installation have in common, so that a reader sees where they differ.

/// The words that most names begin with, which distinguish them least: `acme-harbor-`.
pub(crate) fn shared_beginning<'a>(names: &[&'a str]) -> &'a str {
    let words = |name: &&'a str| {
        let name = *name;
        name.match_indices('-').map(move |(end, _)| &name[..=end])
    };
    let shared = |beginning: &&str| {
        let begins = |name: &&&str| name.starts_with(beginning) || beginning.strip_suffix('-') == Some(name);
        let count = names.iter().filter(begins).count();
        count > 1 && count * 2 > names.len()
    };
    names.iter().flat_map(words).filter(shared).max_by_key(|beginning| beginning.len()).unwrap_or_default()
}

/// The name in two parts: as many words as it has in common with the beginning, and the rest.
pub(crate) fn parts<'a>(name: &'a str, beginning: &str) -> (&'a str, &'a str) {
    let ends = beginning.match_indices('-').map(|(end, _)| end + 1);
    let shared = ends.take_while(|&end| name.len() > end && name.starts_with(&beginning[..end])).last();
    name.split_at(shared.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{parts, shared_beginning};

    #[test]
    fn what_most_begin_with_is_found_word_by_word() {
        assert_eq!(
            shared_beginning(&["acme-harbor-core", "acme-harbor-core-csrf", "acme-db", "public"]),
            "acme-"
        );
        assert_eq!(
            shared_beginning(&["acme-harbor-core", "acme-harbor-portal", "acme-harbor", "public"]),
            "acme-harbor-",
            "what is called just that has it in common, too"
        );
        assert_eq!(shared_beginning(&["acme-harbor-core", "acme-harbor-portal", "public"]), "acme-harbor-");
        assert_eq!(shared_beginning(&["a-b", "c-d", "e"]), "", "not by most");
        assert_eq!(shared_beginning(&["alone-in-the-world"]), "", "by itself");
        assert_eq!(shared_beginning(&[]), "");
    }

    #[test]
    fn a_name_is_whole_in_two_parts() {
        let parts = |name: &'static str| parts(name, "acme-harbor-");
        assert_eq!(parts("acme-harbor-core-csrf"), ("acme-harbor-", "core-csrf"));
        assert_eq!(parts("acme-db"), ("acme-", "db"), "it shares a word");
        assert_eq!(parts("acme-harbor"), ("acme-", "harbor"), "something is left to read");
        assert_eq!(parts("acme"), ("", "acme"));
        assert_eq!(parts("öffentlich"), ("", "öffentlich"));
    }
}
