//! TRANSACTION_PAYLOAD: a compressed transaction.

use super::Bytes;

/// Body of a TRANSACTION_PAYLOAD event (MySQL source `Transaction_payload_event` and its
/// codec): fields, each as type, length and value, all length-encoded; then the payload, which
/// holds events with headers and without checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionPayload<'a> {
    /// How the payload is compressed: 0 is zstd, 255 not at all.
    pub compression: u64,
    /// Bytes of the events; `None` when the server did not write it. What the server says, not
    /// what was found.
    pub uncompressed_size: Option<u64>,
    /// The events, compressed.
    pub payload: &'a [u8],
}

impl<'a> TransactionPayload<'a> {
    /// [`compression`](Self::compression) by zstd.
    pub const ZSTD: u64 = 0;
    /// [`compression`](Self::compression): none.
    pub const NONE: u64 = 255;

    /// Reads the fields.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(body: &'a [u8]) -> Result<Self, &'static str> {
        const END: u64 = 0;
        const PAYLOAD_SIZE: u64 = 1;
        const COMPRESSION: u64 = 2;
        const UNCOMPRESSED_SIZE: u64 = 3;
        const CUT: &str = "the body ends within a field";
        let mut bytes = Bytes::new(body);
        let (mut size, mut compression, mut uncompressed_size) = (None, None, None);
        loop {
            let field = bytes.length_encoded().ok_or(CUT)?;
            if field == END {
                break;
            }
            let value = bytes
                .length_encoded()
                .and_then(|length| usize::try_from(length).ok())
                .and_then(|length| bytes.take(length))
                .ok_or(CUT)?;
            let into = match field {
                PAYLOAD_SIZE => &mut size,
                COMPRESSION => &mut compression,
                UNCOMPRESSED_SIZE => &mut uncompressed_size,
                // Written by a newer server; the length says where it ends.
                _ => continue,
            };
            let number = Bytes::new(value).length_encoded();
            *into = Some(number.ok_or("a field is no number")?);
        }
        let payload = bytes.rest();
        if size.is_some_and(|size| size != payload.len() as u64) {
            return Err("the payload is not as long as it says");
        }
        Ok(Self {
            compression: compression.ok_or("it does not say how it is compressed")?,
            uncompressed_size,
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields that MySQL 9.7.4 wrote for a payload of 180 bytes (here 3).
    const BODY: &[u8] = b"\x02\x01\x00\x03\x03\xfc\x2c\x01\x01\x01\x03\x00abc";

    #[test]
    fn fields_are_read_in_any_order_and_unknown_ones_are_skipped() {
        let expected = TransactionPayload {
            compression: TransactionPayload::ZSTD,
            uncompressed_size: Some(300),
            payload: b"abc",
        };
        assert_eq!(TransactionPayload::parse(BODY), Ok(expected));
        let other = b"\x01\x01\x03\x09\x02xy\x03\x03\xfc\x2c\x01\x02\x01\x00\x00abc";
        assert_eq!(TransactionPayload::parse(other), Ok(expected));
        let plain = TransactionPayload::parse(b"\x02\x03\xfc\xff\x00\x00").unwrap();
        assert_eq!(plain.compression, TransactionPayload::NONE);
        assert_eq!(plain.uncompressed_size, None);
        assert_eq!(plain.payload, b"");
    }

    #[test]
    fn every_cut_and_a_wrong_size_are_errors() {
        for length in 0..BODY.len() {
            assert!(
                TransactionPayload::parse(&BODY[..length]).is_err(),
                "{length} bytes"
            );
        }
        let longer = [BODY, b"d"].concat();
        assert!(TransactionPayload::parse(&longer).is_err());
        for bad in [
            &b"\x00abc"[..],
            b"\x02\x00\x00abc",
            b"\x02\x01\xff\x00abc",
            b"\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x00",
        ] {
            assert!(TransactionPayload::parse(bad).is_err(), "{bad:?}");
        }
    }
}
