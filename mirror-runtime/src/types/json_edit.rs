//! Changes JSON text in the places that differences name.
//!
//! The text is as the server prints it, and stays so: what is not changed is not read as values
//! nor printed again. Semantics: MySQL source, `apply_json_diffs()`.

use std::ops::Range;

use crate::error::ValueError;
use crate::image::{JsonDiff, JsonDiffs, JsonOperation, PathLeg, write_json_text};

const NOT_AS_PRINTED: ValueError =
    ValueError::Invalid("a held JSON document that is not as the server prints it");

/// Applies differences to a document.
///
/// With `replayed`, the document may be newer than the differences: it is what some of the
/// changes from them on have made of it, and all those changes follow. What assigns a value or
/// takes a member away is applied as far as it can be: where it cannot, a later change of the
/// same place has come before it, and comes again. What moves elements of an array would move
/// them twice, and is refused.
///
/// # Errors
/// [`ValueError::JsonMisfit`] or [`ValueError::JsonReplay`] when a difference cannot be applied;
/// another error when the bytes are none.
pub(super) fn apply(text: &str, diffs: &[u8], replayed: bool) -> Result<String, ValueError> {
    let mut document = text.as_bytes().to_vec();
    let mut diffs = JsonDiffs::new(diffs);
    while let Some(diff) = diffs.next()? {
        match change(&document, &diff, replayed)? {
            Some(change) => document = change.made_to(&document),
            None if replayed => {}
            None => return Err(ValueError::JsonMisfit),
        }
    }
    String::from_utf8(document).map_err(|error| ValueError::Text {
        charset: "utf8mb4",
        at: error.utf8_error().valid_up_to(),
    })
}

/// New text in place of a stretch of the old.
struct Change {
    at: Range<usize>,
    text: Vec<u8>,
}

impl Change {
    fn made_to(&self, document: &[u8]) -> Vec<u8> {
        let before = document.get(..self.at.start).unwrap_or_default();
        let behind = document.get(self.at.end..).unwrap_or_default();
        [before, &self.text, behind].concat()
    }
}

/// What a difference changes; `None` when its path does not fit the document.
fn change(
    document: &[u8],
    diff: &JsonDiff<'_>,
    replayed: bool,
) -> Result<Option<Change>, ValueError> {
    let legs = diff.legs()?;
    // A whole document is never replaced by a difference.
    let Some((last, parents)) = legs.split_last() else {
        return Ok(None);
    };
    let Some(parent) = seek(document, parents)? else {
        return Ok(None);
    };
    let Some(container) = Container::at(document, parent) else {
        return Ok(None);
    };
    let mut value = Vec::new();
    if diff.operation != JsonOperation::Remove {
        write_json_text(&mut value, diff.value)?;
    }
    match last {
        PathLeg::Member(key) if container.is_object => {
            container.change_member(key, diff.operation, value, replayed)
        }
        PathLeg::Cell { .. } if !container.is_object => {
            if replayed && diff.operation != JsonOperation::Replace {
                return Err(ValueError::JsonReplay);
            }
            container.change_cell(last, diff.operation, value)
        }
        _ => Ok(None),
    }
}

/// Where the value at a path is.
fn seek(document: &[u8], legs: &[PathLeg]) -> Result<Option<Range<usize>>, ValueError> {
    let mut at = 0..document.len();
    for leg in legs {
        let found = match Container::at(document, at) {
            Some(container) => container.find(leg)?,
            None => None,
        };
        match found {
            Some(entry) => at = entry.value,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// An object or array in the text.
struct Container<'d> {
    document: &'d [u8],
    /// With its brackets.
    at: Range<usize>,
    is_object: bool,
}

/// A member or cell.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// The key with its quotes; empty for a cell.
    key: Range<usize>,
    value: Range<usize>,
}

impl Entry {
    fn start(&self) -> usize {
        self.key.start
    }
}

impl<'d> Container<'d> {
    fn at(document: &'d [u8], at: Range<usize>) -> Option<Self> {
        let is_object = match document.get(at.start) {
            Some(b'{') => true,
            Some(b'[') => false,
            _ => return None,
        };
        Some(Self {
            document,
            at,
            is_object,
        })
    }

    fn entries(&self) -> Entries<'_> {
        Entries {
            container: self,
            next: self.at.start + 1,
        }
    }

    fn count(&self) -> Result<usize, ValueError> {
        self.entries()
            .try_fold(0, |count, entry| entry.map(|_| count + 1))
    }

    fn find(&self, leg: &PathLeg) -> Result<Option<Entry>, ValueError> {
        match leg {
            PathLeg::Member(key) if self.is_object => self.member(key),
            PathLeg::Cell { .. } if !self.is_object => match self.place(leg)? {
                (place, true) => self.entries().nth(place).transpose(),
                (_, false) => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn member(&self, key: &[u8]) -> Result<Option<Entry>, ValueError> {
        for entry in self.entries() {
            let entry = entry?;
            if self.document.get(entry.key.clone()) == Some(key) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The place of a cell among the others, and whether it is there. One that is not there is
    /// before all others when it was counted from the end, else behind them.
    fn place(&self, leg: &PathLeg) -> Result<(usize, bool), ValueError> {
        let PathLeg::Cell { index, from_end } = leg else {
            return Ok((0, false));
        };
        let count = self.count()?;
        Ok(match (index, from_end) {
            (index, _) if *index >= count => (if *from_end { 0 } else { count }, false),
            (index, false) => (*index, true),
            (index, true) => (count - 1 - index, true),
        })
    }

    fn change_member(
        &self,
        key: &[u8],
        operation: JsonOperation,
        value: Vec<u8>,
        replayed: bool,
    ) -> Result<Option<Change>, ValueError> {
        let found = self.member(key)?;
        Ok(match (operation, found) {
            (JsonOperation::Remove, Some(entry)) => Some(self.without(&entry)?),
            (JsonOperation::Replace, Some(entry)) => Some(replace(&entry, value)),
            (JsonOperation::Insert, Some(entry)) if replayed => Some(replace(&entry, value)),
            (JsonOperation::Insert, None) => {
                let entry = [key, b": ", &value].concat();
                let mut place = 0;
                for other in self.entries() {
                    let other = self.document.get(other?.key).unwrap_or_default();
                    if is_before(key, other)? {
                        break;
                    }
                    place += 1;
                }
                Some(self.with(place, entry)?)
            }
            _ => None,
        })
    }

    fn change_cell(
        &self,
        leg: &PathLeg,
        operation: JsonOperation,
        value: Vec<u8>,
    ) -> Result<Option<Change>, ValueError> {
        let (place, _) = self.place(leg)?;
        if operation == JsonOperation::Insert {
            return self.with(place, value).map(Some);
        }
        let Some(entry) = self.find(leg)? else {
            return Ok(None);
        };
        Ok(Some(if operation == JsonOperation::Remove {
            self.without(&entry)?
        } else {
            replace(&entry, value)
        }))
    }

    /// A new entry before the one at that place.
    fn with(&self, place: usize, mut text: Vec<u8>) -> Result<Change, ValueError> {
        if let Some(entry) = self.entries().nth(place).transpose()? {
            text.extend_from_slice(b", ");
            let at = entry.start();
            return Ok(Change { at: at..at, text });
        }
        let end = self.at.end.saturating_sub(1);
        if self.entries().next().transpose()?.is_some() {
            text.splice(..0, *b", ");
        }
        Ok(Change { at: end..end, text })
    }

    fn without(&self, entry: &Entry) -> Result<Change, ValueError> {
        let mut before = None;
        let mut entries = self.entries();
        while let Some(other) = entries.next().transpose()? {
            if other.start() == entry.start() {
                break;
            }
            before = Some(other);
        }
        let at = match (entries.next().transpose()?, before) {
            (Some(next), _) => entry.start()..next.start(),
            (None, Some(before)) => before.value.end..entry.value.end,
            (None, None) => entry.start()..entry.value.end,
        };
        let text = Vec::new();
        Ok(Change { at, text })
    }
}

fn replace(entry: &Entry, text: Vec<u8>) -> Change {
    Change {
        at: entry.value.clone(),
        text,
    }
}

/// Whether a key stands before another: shorter ones first, then by bytes (MySQL source,
/// `Json_key_comparator`).
fn is_before(one: &[u8], other: &[u8]) -> Result<bool, ValueError> {
    let (one, other) = (unquoted(one)?, unquoted(other)?);
    Ok((one.len(), one) < (other.len(), other))
}

fn unquoted(token: &[u8]) -> Result<Vec<u8>, ValueError> {
    if token.contains(&b'\\') {
        return serde_json::from_slice::<String>(token)
            .map(String::into_bytes)
            .map_err(|_| NOT_AS_PRINTED);
    }
    match token {
        [b'"', name @ .., b'"'] => Ok(name.to_vec()),
        _ => Err(NOT_AS_PRINTED),
    }
}

/// The entries of a container.
struct Entries<'c> {
    container: &'c Container<'c>,
    next: usize,
}

impl Entries<'_> {
    /// Reads the entry at `next`; the container's end is not there.
    fn read(&mut self) -> Option<Entry> {
        let document = self.container.document;
        let start = self.next;
        let (key, value_start) = if self.container.is_object {
            let end = skip_string(document, start)?;
            let behind = document.get(end..)?.strip_prefix(b": ")?;
            (start..end, document.len() - behind.len())
        } else {
            (start..start, start)
        };
        let value = value_start..skip_value(document, value_start)?;
        self.next = match document.get(value.end..)? {
            [b',', b' ', ..] => value.end + 2,
            [b'}' | b']', ..] => value.end,
            _ => return None,
        };
        Some(Entry { key, value })
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, ValueError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.container.document.get(self.next) {
            Some(b'}' | b']') => None,
            _ => match self.read() {
                Some(entry) => Some(Ok(entry)),
                None => {
                    self.next = self.container.at.end.saturating_sub(1);
                    Some(Err(NOT_AS_PRINTED))
                }
            },
        }
    }
}

/// The end of the string at that place.
fn skip_string(document: &[u8], at: usize) -> Option<usize> {
    let rest = document.get(at..)?.strip_prefix(b"\"")?;
    let mut escaped = false;
    for (offset, byte) in rest.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + offset + 2),
            _ => {}
        }
    }
    None
}

/// The end of the value at that place.
fn skip_value(document: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match document.get(at)? {
            b'"' => at = skip_string(document, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' if depth > 0 => {
                at += 1;
                continue;
            }
            _ => {
                let length = document
                    .get(at..)?
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']' | b' '));
                match length {
                    None if depth == 0 => return Some(document.len()),
                    None | Some(0) => return None,
                    Some(length) => at += length,
                }
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
#[path = "json_edit_tests.rs"]
mod tests;
