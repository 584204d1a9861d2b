//! Encodes protocol buffers.

/// A message under construction. Empty texts, zeros and `false` are left out, as proto3 does.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const DELIMITED: u64 = 2;

impl Message {
    /// A message within this one, even if it is empty.
    pub fn message(mut self, field: u64, message: Message) -> Self {
        self.delimited(field, &message.0);
        self
    }

    pub fn text(mut self, field: u64, text: &str) -> Self {
        if !text.is_empty() {
            self.delimited(field, text.as_bytes());
        }
        self
    }

    /// One entry of a list of texts, even if it is empty.
    pub fn entry(mut self, field: u64, text: &str) -> Self {
        self.delimited(field, text.as_bytes());
        self
    }

    pub fn flag(mut self, field: u64, flag: bool) -> Self {
        if flag {
            self.varint(field << 3 | VARINT);
            self.varint(1);
        }
        self
    }

    pub fn integer(mut self, field: u64, integer: i64) -> Self {
        if integer != 0 {
            self.varint(field << 3 | VARINT);
            self.varint(integer.cast_unsigned());
        }
        self
    }

    pub fn double(mut self, field: u64, double: f64) -> Self {
        if double != 0.0 {
            self.varint(field << 3 | FIXED64);
            self.0.extend(double.to_le_bytes());
        }
        self
    }

    /// The encoded form.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn delimited(&mut self, field: u64, content: &[u8]) {
        self.varint(field << 3 | DELIMITED);
        self.varint(content.len() as u64);
        self.0.extend(content);
    }

    fn varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                self.0.push(low & 0x7f);
                return;
            }
            self.0.push(low | 0x80);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn fields_are_encoded_as_the_format_says() {
        let message = Message::default()
            .text(1, "hi")
            .text(2, "")
            .flag(3, true)
            .integer(4, 300)
            .double(5, 1.0)
            .message(16, Message::default().entry(1, ""));
        assert_eq!(
            message.into_bytes(),
            [
                0x0a, 2, b'h', b'i', 0x18, 1, 0x20, 0xac, 0x02, 0x29, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x82,
                0x01, 2, 0x0a, 0
            ]
        );
    }
}
