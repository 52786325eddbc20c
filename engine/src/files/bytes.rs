//! Serialization of numbers and strings for small files that are read as a whole.

use std::path::Path;

use crate::error::Error;

/// Serializer.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds bytes with their length as prefix.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Deserializer over the remaining bytes.
pub(crate) struct Reader<'a> {
    pub left: &'a [u8],
    /// The file, for error messages.
    pub path: &'a Path,
}

impl<'a> Reader<'a> {
    /// Error for inconsistent content.
    #[cold]
    pub(crate) fn senseless(&self) -> Error {
        Error::damaged(self.path, "makes no sense")
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let split = usize::try_from(count).ok().and_then(|count| self.left.split_at_checked(count));
        let (taken, left) = split.ok_or_else(|| self.senseless())?;
        self.left = left;
        Ok(taken)
    }

    /// The next number.
    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    /// The next number, converted to a narrower type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Error> {
        T::try_from(self.number()?).map_err(|_| self.senseless())
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let count = self.number()?;
        self.take(count)
    }

    /// The next text.
    pub(crate) fn text(&mut self) -> Result<&'a str, Error> {
        std::str::from_utf8(self.bytes()?).map_err(|_| self.senseless())
    }
}
