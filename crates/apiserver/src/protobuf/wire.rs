//! The wire format of protocol buffers: numbered fields, one after the other.

use super::Malformed;

/// The value of a field, as far as the wire format shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload<'a> {
    Number(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four,
    Group,
}

impl Payload<'_> {
    /// The number of this type of value on the wire.
    pub fn wire_type(self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Eight(_) => 1,
            Self::Bytes(_) => 2,
            Self::Group => 3,
            Self::Four => 5,
        }
    }
}

/// Reads the fields of a message.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    message: &'static str,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// `message` is the name of the message in failures.
    pub fn of(message: &'static str, bytes: &'a [u8]) -> Self {
        Self { message, rest: bytes }
    }

    /// The number of the next field, and its value.
    pub fn next(&mut self) -> Result<Option<(u32, Payload<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.tag()?;
        let payload = match tag.wire {
            3 => {
                self.skip_group()?;
                Payload::Group
            }
            4 => return Err(Malformed::EndOfGroup(self.message)),
            wire => self.payload(wire)?,
        };
        Ok(Some((tag.number, payload)))
    }

    fn payload(&mut self, wire: u8) -> Result<Payload<'a>, Malformed> {
        Ok(match wire {
            0 => Payload::Number(self.number()?),
            1 => Payload::Eight(self.array()?),
            2 => {
                let length = i64::try_from(self.number()?).map_err(|_| Malformed::Length)?;
                Payload::Bytes(self.bytes(usize::try_from(length).map_err(|_| Malformed::Length)?)?)
            }
            5 => {
                self.array::<4>()?;
                Payload::Four
            }
            _ => return Err(Malformed::WireType(wire)),
        })
    }

    /// Groups are obsolete, but a decoder must skip them.
    fn skip_group(&mut self) -> Result<(), Malformed> {
        let mut open = 1_usize;
        while open > 0 {
            match self.tag()?.wire {
                3 => open += 1,
                4 => open -= 1,
                wire => {
                    self.payload(wire)?;
                }
            }
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<Tag, Malformed> {
        let bits = self.number()?;
        let [wire, ..] = (bits & 7).to_le_bytes();
        let number = low_half(bits >> 3);
        if number == 0 || number.cast_signed() < 0 {
            return Err(Malformed::Tag { message: self.message, number: number.cast_signed(), wire: bits });
        }
        Ok(Tag { number, wire })
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed::Overflow)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(Malformed::Ends)?;
        self.rest = rest;
        Ok(*array)
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Malformed::Ends)?;
        self.rest = rest;
        Ok(bytes)
    }
}

/// Numbers without tags, as in packed lists.
pub(super) fn packed(bytes: &[u8]) -> Result<Vec<u64>, Malformed> {
    let mut rest = Fields::of("", bytes);
    let mut numbers = Vec::new();
    while !rest.rest.is_empty() {
        numbers.push(rest.number()?);
    }
    Ok(numbers)
}

/// The lower 32 bits, which a 32-bit field keeps of a number.
pub(super) fn low_half(number: u64) -> u32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

struct Tag {
    number: u32,
    wire: u8,
}
