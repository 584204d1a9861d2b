//! Standard base64 with padding, as Go writes byte slices.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                let sextet = group >> (18 - 6 * place) & 63;
                text.push(char::from(ALPHABET[sextet as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// The bytes that a text stands for, whose line breaks mean nothing; none if it is no base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n' | b'=')).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let mut group = 0_u32;
        for digit in chunk {
            let sextet = ALPHABET.iter().position(|letter| letter == digit)?;
            group = group << 6 | u32::try_from(sextet).ok()?;
        }
        let [_, first, second, third] = (group << (6 * (4 - chunk.len()))).to_be_bytes();
        bytes.extend([first, second, third].into_iter().take(chunk.len() * 3 / 4));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn the_last_group_is_padded() {
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|text| encode(text.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        for text in ["", "f", "fo", "foo", "foob"] {
            assert_eq!(decode(&encode(text.as_bytes())), Some(text.as_bytes().to_vec()));
        }
        assert_eq!(decode("Zm\n9v"), Some(b"foo".to_vec()));
        assert_eq!(decode("Z*9v"), None);
    }
}
