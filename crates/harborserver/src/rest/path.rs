//! Paths as Go's router sees them.

/// A path without empty segments, `.` and `..`, and without a slash at the end.
pub(crate) fn clean(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// A text with its `%xx` decoded once, or as it is where they are none.
pub(crate) fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte == b'%' {
            let digit = |place: usize| bytes.get(place).and_then(|digit| char::from(*digit).to_digit(16));
            let value = digit(index + 1).zip(digit(index + 2)).map(|(high, low)| high * 16 + low);
            let Some(value) = value.and_then(|value| u8::try_from(value).ok()) else {
                return text.to_owned();
            };
            decoded.push(value);
            index += 3;
        } else {
            decoded.push(byte);
            index += 1;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{clean, unescaped};

    #[test]
    fn paths_are_cleaned_as_go_does() {
        assert_eq!(clean("/api/v2.0/projects/"), "/api/v2.0/projects");
        assert_eq!(clean("//api/./x/../v2.0"), "/api/v2.0");
        assert_eq!(clean("/../.."), "/");
        assert_eq!(clean(""), "/");
    }

    #[test]
    fn a_text_is_unescaped_once_or_not_at_all() {
        assert_eq!(unescaped("a%252Fb"), "a%2Fb");
        assert_eq!(unescaped("a%2Fb"), "a/b");
        for broken in ["%", "%2", "%zz", "%+1", "%ff"] {
            assert_eq!(unescaped(broken), broken);
        }
    }
}
