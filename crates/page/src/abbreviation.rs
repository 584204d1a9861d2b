//! Shortens names and kinds to the available room.

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

/// The name, without as many of its first words as necessary. A name that is still too long keeps its beginning and its
/// end, where names differ.
pub(crate) fn abbreviated(name: &str, beginning: &str, room: usize) -> String {
    if fits(name, room) {
        return name.to_owned();
    }
    let words = beginning.match_indices('-').map(|(end, _)| &beginning[..=end]);
    let rests: Vec<_> = words.map_while(|words| name.strip_prefix(words)).collect();
    match (rests.iter().find(|rest| fits(rest, room - 1)), rests.last()) {
        (Some(rest), _) => format!("…{rest}"),
        (None, Some(rest)) => format!("…{}", without_middle(rest, room - 1)),
        (None, None) => without_middle(name, room),
    }
}

/// The text, or its beginning.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if fits(text, room) { text.to_owned() } else { text.chars().take(room - 1).chain(['…']).collect() }
}

fn without_middle(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let (head, tail) = (room / 2, room - room / 2 - 1);
    text.chars().take(head).chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

fn fits(text: &str, room: usize) -> bool {
    text.chars().nth(room).is_none()
}

#[cfg(test)]
mod tests {
    use super::{abbreviated, cut, shared_beginning};

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
    fn a_long_name_loses_what_it_shares_and_no_more_than_it_must() {
        let short = |name: &str| abbreviated(name, "acme-harbor-", 21);
        assert_eq!(short("acme-harbor-core-csrf"), "acme-harbor-core-csrf");
        assert_eq!(short("acme-harbor-jobservice"), "…harbor-jobservice");
        assert_eq!(short("acme-harbor-registry-basicauth"), "…registry-basicauth");
        assert_eq!(short("acme-harbor-registry-controller-tls"), "…registry-c…oller-tls");
        assert_eq!(short("acme-postgresql-password"), "…postgresql-password", "it shares a word");
        assert_eq!(short("postgresql-registry-acme-db"), "postgresql…ry-acme-db", "it shares nothing");
    }

    #[test]
    fn a_long_name_among_strangers_keeps_its_beginning_and_its_end() {
        assert_eq!(abbreviated("harbor-core", "", 11), "harbor-core");
        assert_eq!(abbreviated("harbor-registry-controller-tls", "", 15), "harbor-…ler-tls");
        assert_eq!(abbreviated("äöüäöüäöü", "", 5), "äö…öü");
    }

    #[test]
    fn a_long_kind_keeps_its_beginning() {
        assert_eq!(cut("Secret", 6), "Secret");
        assert_eq!(cut("PersistentVolumeClaim", 10), "Persisten…");
    }
}
