//! MariaDB's UUID, INET4 and INET6: bytes in row images, text from a SELECT.
//!
//! In row images they are fixed strings that have lost the zeros at their end (MariaDB source,
//! `Type_handler_fbt`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::Uuid;
use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// The bytes with the zeros at their end put back.
#[inline]
fn padded<const N: usize>(raw: Option<&[u8]>) -> Result<[u8; N], ValueError> {
    let raw = not_null(raw)?;
    let mut bytes = [0; N];
    match bytes.get_mut(..raw.len()) {
        Some(start) => start.copy_from_slice(raw),
        None => {
            return Err(ValueError::Length {
                expected: N,
                found: raw.len(),
            });
        }
    }
    Ok(bytes)
}

fn parsed<T: FromStr>(value: SelectValue, expected: &'static str) -> Result<T, ValueError> {
    let bytes = select_bytes(value, expected)?;
    std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(ValueError::Invalid(expected))
}

impl ColumnValue for Uuid {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        padded(raw).map(Self::from_bytes)
    }

    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        parsed(value, "text of a UUID")
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Uuid(*self)
    }
}

impl ColumnValue for Ipv4Addr {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        padded::<4>(raw).map(Self::from)
    }

    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        parsed(value, "text of an INET4")
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Ip(IpAddr::V4(*self))
    }
}

impl ColumnValue for Ipv6Addr {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        padded::<16>(raw).map(Self::from)
    }

    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        parsed(value, "text of an INET6")
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Ip(IpAddr::V6(*self))
    }
}

/// An address as the server prints it: the longest run of zero groups, the first of several and
/// also one of a single group, is `::`, and the last four bytes are in dotted form behind six
/// zero groups or five and `ffff` (MariaDB source, `Inet6::to_string()`).
pub(crate) fn inet_text(address: IpAddr) -> String {
    let IpAddr::V6(v6) = address else {
        return address.to_string();
    };
    let groups = v6.segments();
    let (start, length) = longest_zeros(&groups);
    let dotted = start == 0 && (length == 6 || (length == 5 && groups.get(5) == Some(&0xffff)));
    let shown = if dotted { 6 } else { groups.len() };
    let mut text = String::new();
    for (at, group) in groups.iter().enumerate().take(shown) {
        if length > 0 && (start..start + length).contains(&at) {
            if at == start {
                text.push_str("::");
            }
            continue;
        }
        if !text.is_empty() && !text.ends_with(':') {
            text.push(':');
        }
        text.push_str(&format!("{group:x}"));
    }
    if dotted {
        let [.., a, b, c, d] = v6.octets();
        if !text.ends_with(':') {
            text.push(':');
        }
        text.push_str(&format!("{a}.{b}.{c}.{d}"));
    }
    text
}

/// Start and length of the first longest run of zeros.
fn longest_zeros(groups: &[u16]) -> (usize, usize) {
    let (mut best, mut run) = ((0, 0), (0, 0));
    for (at, group) in groups.iter().enumerate() {
        run = match (group, run) {
            (0, (_, 0)) => (at, 1),
            (0, (start, length)) => (start, length + 1),
            _ => (0, 0),
        };
        if run.1 > best.1 {
            best = run;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};
    use crate::layout::ColumnType;

    #[test]
    fn zeros_at_the_end_are_put_back() {
        let image = image_column(column(ColumnType::Uuid), 254, 16);
        let raw = b"\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";
        let uuid = Uuid::from_image(Some(raw), &image).unwrap();
        assert_eq!(uuid.to_string(), "11223344-5566-7788-99aa-bbccddeeff00");
        let text = SelectValue::Bytes(uuid.to_string().into_bytes());
        assert_eq!(Uuid::from_select(text, image.layout), Ok(uuid));
        let image = image_column(column(ColumnType::Inet4), 254, 4);
        let address = Ipv4Addr::from_image(Some(&[10]), &image).unwrap();
        assert_eq!(address.to_string(), "10.0.0.0");
        assert!(Ipv4Addr::from_image(Some(&[1; 5]), &image).is_err());
        assert!(Ipv6Addr::from_image(None, &image).is_err());
    }

    #[test]
    fn addresses_are_printed_as_the_server_does() {
        // As MariaDB 11.8 printed them.
        for text in [
            "::",
            "::1",
            "::255",
            "::ffff",
            "::0.1.0.0",
            "::1.2.3.4",
            "::ffff:0.0.0.0",
            "::ffff:0.1.0.2",
            "::ffff:0:102:304",
            "64:ff9b::102:304",
            "::1:0:0",
            "1:0:0:2::3",
            "1::2:3:4:5:6:7",
            "1::",
            "0:0:1:1::",
            "::1:0:1:0:1:0:1",
            "1::1:0:0:1:1",
            "2001:db8::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ] {
            assert_eq!(inet_text(text.parse().unwrap()), text);
        }
    }
}
