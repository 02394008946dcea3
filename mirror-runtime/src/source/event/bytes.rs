//! A reader over bytes that gives `None` instead of reading past the end.

/// What is left of some bytes; all numbers are little-endian.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Everything that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// An unsigned number of `count` bytes, at most 8.
    pub(crate) fn uint(&mut self, count: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        bytes.get_mut(..count)?.copy_from_slice(self.take(count)?);
        Some(u64::from_le_bytes(bytes))
    }

    /// Bytes with their length in one byte before them.
    pub(crate) fn short_bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.u8()?;
        self.take(usize::from(count))
    }

    /// Bytes up to a zero byte, which is passed over.
    pub(crate) fn until_zero(&mut self) -> Option<&'a [u8]> {
        let at = self.0.iter().position(|&byte| byte == 0)?;
        let taken = self.take(at)?;
        self.take(1)?;
        Some(taken)
    }

    /// A length-encoded integer (MySQL manual, "Protocol::LengthEncodedInteger").
    pub(crate) fn length_encoded(&mut self) -> Option<u64> {
        match self.u8()? {
            0xfc => self.uint(2),
            0xfd => self.uint(3),
            0xfe => self.u64(),
            0xfb | 0xff => None,
            small => Some(u64::from(small)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_past_the_end() {
        let mut bytes = Bytes::new(&[1, 2, 3]);
        assert_eq!(bytes.u32(), None);
        assert_eq!(bytes.u16(), Some(0x0201));
        assert_eq!(bytes.take(2), None);
        assert_eq!(bytes.uint(9), None);
        assert_eq!(bytes.u8(), Some(3));
        assert!(bytes.is_empty());
    }

    #[test]
    fn length_encoded_integers_have_four_widths() {
        let read = |bytes: &[u8]| Bytes::new(bytes).length_encoded();
        assert_eq!(read(&[250]), Some(250));
        assert_eq!(read(&[0xfc, 1, 2]), Some(0x0201));
        assert_eq!(read(&[0xfd, 1, 2, 3]), Some(0x03_0201));
        assert_eq!(read(&[0xfe, 1, 0, 0, 0, 0, 0, 0, 1]), Some((1 << 56) + 1));
        assert_eq!(read(&[0xff, 1]), None);
        assert_eq!(read(&[0xfc, 1]), None);
    }

    #[test]
    fn text_ends_at_its_zero_byte() {
        let mut bytes = Bytes::new(b"ab\0c");
        assert_eq!(bytes.until_zero(), Some(&b"ab"[..]));
        assert_eq!(bytes.until_zero(), None);
        assert_eq!(bytes.rest(), b"c");
    }
}
