//! Differences of JSON documents (`binlog_row_value_options=PARTIAL_JSON`).
//!
//! Format: MySQL source, `sql/json_diff.h`. Differences stand behind each other and are applied
//! in order. Each is an operation (0 replace, 1 insert, 2 remove), a path as text behind its
//! length-encoded length, and for replace and insert a binary JSON value behind its
//! length-encoded length.

use super::json_scalar::write_json_string;
use crate::error::ValueError;
use crate::source::event::Bytes;

const DAMAGED: ValueError = ValueError::Invalid("JSON differences that end within one");
const BAD_PATH: ValueError = ValueError::Invalid("a path of a JSON difference that is none");

/// What a difference does at its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonOperation {
    /// Puts a value in place of the one that is there.
    Replace,
    /// Adds a member that is not there, or a cell before the one that is there.
    Insert,
    /// Takes the value away.
    Remove,
}

/// One difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonDiff<'a> {
    pub(crate) operation: JsonOperation,
    /// As in SQL, without wildcards: `$.a."b c"[3]`.
    path: &'a [u8],
    /// Binary JSON; empty for a remove.
    pub(crate) value: &'a [u8],
}

/// Differences, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct JsonDiffs<'a>(Bytes<'a>);

impl<'a> JsonDiffs<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(Bytes::new(bytes))
    }

    /// The next difference; `None` behind the last one.
    ///
    /// # Errors
    /// When the bytes are none.
    pub(crate) fn next(&mut self) -> Result<Option<JsonDiff<'a>>, ValueError> {
        let Some(operation) = self.0.u8() else {
            return Ok(None);
        };
        let operation = match operation {
            0 => JsonOperation::Replace,
            1 => JsonOperation::Insert,
            2 => JsonOperation::Remove,
            _ => {
                return Err(ValueError::Invalid(
                    "an unknown operation in a JSON difference",
                ));
            }
        };
        let path = self.counted()?;
        let value = match operation {
            JsonOperation::Remove => &[],
            _ => self.counted()?,
        };
        Ok(Some(JsonDiff {
            operation,
            path,
            value,
        }))
    }

    fn counted(&mut self) -> Result<&'a [u8], ValueError> {
        self.0
            .length_encoded()
            .and_then(|length| usize::try_from(length).ok())
            .and_then(|length| self.0.take(length))
            .ok_or(DAMAGED)
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathLeg {
    /// A member: its name as a JSON string, with quotes, as the server prints it.
    Member(Vec<u8>),
    /// A cell, counted from the start or (`last` is 0) from the end.
    Cell {
        /// Cells before it, or behind it.
        index: usize,
        /// Whether it is counted from the end.
        from_end: bool,
    },
}

impl JsonDiff<'_> {
    /// The steps of the path.
    ///
    /// # Errors
    /// When it is no path, or has wildcards.
    pub(crate) fn legs(&self) -> Result<Vec<PathLeg>, ValueError> {
        let mut rest = self.path.strip_prefix(b"$").ok_or(BAD_PATH)?;
        let mut legs = Vec::new();
        while let Some((first, behind)) = rest.split_first() {
            let (leg, length) = match first {
                b'.' => member(behind)?,
                b'[' => cell(behind)?,
                _ => return Err(BAD_PATH),
            };
            legs.push(leg);
            rest = behind.get(length..).unwrap_or_default();
        }
        Ok(legs)
    }
}

/// A member behind its dot, and how many bytes it takes.
fn member(bytes: &[u8]) -> Result<(PathLeg, usize), ValueError> {
    let mut token = Vec::new();
    if bytes.first() != Some(&b'"') {
        let length = bytes
            .iter()
            .position(|byte| matches!(byte, b'.' | b'['))
            .unwrap_or(bytes.len());
        let name = bytes.get(..length).unwrap_or_default();
        if name.is_empty() || name == b"*" {
            return Err(BAD_PATH);
        }
        write_json_string(&mut token, name);
        return Ok((PathLeg::Member(token), length));
    }
    let mut escaped = false;
    let length = bytes
        .iter()
        .skip(1)
        .position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        })
        .map(|at| at + 2)
        .ok_or(BAD_PATH)?;
    let quoted = bytes.get(..length).unwrap_or_default();
    let name: String = serde_json::from_slice(quoted).map_err(|_| BAD_PATH)?;
    write_json_string(&mut token, name.as_bytes());
    Ok((PathLeg::Member(token), length))
}

/// A cell behind its bracket, and how many bytes it takes with the closing one.
fn cell(bytes: &[u8]) -> Result<(PathLeg, usize), ValueError> {
    let length = bytes
        .iter()
        .position(|byte| *byte == b']')
        .ok_or(BAD_PATH)?;
    let text = bytes
        .get(..length)
        .and_then(|text| std::str::from_utf8(text).ok())
        .ok_or(BAD_PATH)?;
    let (number, from_end) = match text.strip_prefix("last") {
        Some("") => ("0", true),
        Some(rest) => (rest.trim_start_matches(['-', ' ']), true),
        None => (text, false),
    };
    let index = number.trim().parse().map_err(|_| BAD_PATH)?;
    Ok((PathLeg::Cell { index, from_end }, length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<JsonDiff<'_>>, ValueError> {
        let mut diffs = JsonDiffs::new(bytes);
        let mut all = Vec::new();
        while let Some(diff) = diffs.next()? {
            all.push(diff);
        }
        Ok(all)
    }

    fn legs(path: &str) -> Result<Vec<PathLeg>, ValueError> {
        JsonDiff {
            operation: JsonOperation::Remove,
            path: path.as_bytes(),
            value: &[],
        }
        .legs()
    }

    /// As MySQL 9.7.4 logged them.
    const REAL: &[u8] = b"\x00\x0a$.bb[last]\x06\x0c\x04LAST\x02\x09$.\"b c\".x\x01\x04$.zz\x0a\
        \x0f\xf6\x07\x0b\x02\x80\x00\x00\x012";

    #[test]
    fn differences_are_read_in_order() {
        let all = all(REAL).unwrap();
        let operations: Vec<_> = all.iter().map(|diff| diff.operation).collect();
        assert_eq!(
            operations,
            [
                JsonOperation::Replace,
                JsonOperation::Remove,
                JsonOperation::Insert
            ]
        );
        assert_eq!(all[0].value, b"\x0c\x04LAST");
        assert_eq!(all[1].path, b"$.\"b c\".x");
        assert_eq!(all[2].value.len(), 10);
    }

    #[test]
    fn differences_that_are_cut_are_errors() {
        let whole = [0, 19, 30].map(|start| &REAL[..start]);
        for length in 0..REAL.len() {
            let cut = &REAL[..length];
            assert_eq!(all(cut).is_ok(), whole.contains(&cut), "{length} bytes");
        }
        assert!(all(b"\x03\x01$").is_err());
        assert!(all(b"\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff$").is_err());
    }

    #[test]
    fn paths_name_members_and_cells() {
        let name = |text: &str| PathLeg::Member(text.as_bytes().to_vec());
        let cell = |index, from_end| PathLeg::Cell { index, from_end };
        assert_eq!(legs("$").unwrap(), []);
        assert_eq!(
            legs(r#"$.a."b c"[3]."q\"\\\u00e9.["[last][last-2].$x_1"#).unwrap(),
            [
                name(r#""a""#),
                name(r#""b c""#),
                cell(3, false),
                name(r#""q\"\\é.[""#),
                cell(0, true),
                cell(2, true),
                name(r#""$x_1""#),
            ]
        );
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in [
            "",
            "a",
            "$a",
            "$.",
            "$.*",
            "$[*]",
            "$**.a",
            "$[",
            "$[]",
            "$[x]",
            "$[-1]",
            "$.\"a",
            "$.\"\\x\"",
            "$..a",
            "$[1 to 2]",
            "$[99999999999999999999999]",
            "$[last-]",
        ] {
            assert!(legs(path).is_err(), "{path}");
        }
    }
}
