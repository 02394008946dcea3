//! JSON values that know the line they stand on.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub(super) path: String,
    pub(super) line: usize,
    raw: &'t RawValue,
    text: &'t str,
}

/// A value taken apart by one level.
#[derive(Debug)]
pub(super) enum Value<'t> {
    /// Members in the order of the text, duplicates included.
    Object(Vec<(String, Node<'t>)>),
    List(Vec<Node<'t>>),
    Text(String),
    /// `a number`, `true or false`, `null`.
    Other(&'static str),
}

impl Value<'_> {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::List(_) => "a list",
            Self::Text(_) => "a string",
            Self::Other(kind) => kind,
        }
    }
}

impl<'t> Node<'t> {
    /// The whole of a text.
    pub(super) fn parse(text: &'t str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self::at(text, raw, String::new()))
    }

    fn at(text: &'t str, raw: &'t RawValue, path: String) -> Self {
        let offset = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = text.as_bytes().get(..offset).unwrap_or(&[]);
        Self {
            path,
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            raw,
            text,
        }
    }

    /// Takes the value apart.
    pub(super) fn value(&self) -> Result<Value<'t>, serde_json::Error> {
        let json = self.raw.get();
        Ok(match json.bytes().next() {
            Some(b'{') => {
                let members = serde_json::Deserializer::from_str(json).deserialize_map(Members)?;
                let node = |(key, raw): (String, &'t RawValue)| {
                    let path = if self.path.is_empty() {
                        key.clone()
                    } else {
                        format!("{}.{key}", self.path)
                    };
                    (key, Self::at(self.text, raw, path))
                };
                Value::Object(members.into_iter().map(node).collect())
            }
            Some(b'[') => {
                let items = serde_json::Deserializer::from_str(json).deserialize_seq(Items)?;
                let node = |(i, raw)| Self::at(self.text, raw, format!("{}[{i}]", self.path));
                Value::List(items.into_iter().enumerate().map(node).collect())
            }
            Some(b'"') => Value::Text(serde_json::from_str(json)?),
            Some(b't' | b'f') => Value::Other("true or false"),
            Some(b'n') => Value::Other("null"),
            _ => Value::Other("a number"),
        })
    }
}

struct Members;

impl<'t> Visitor<'t> for Members {
    type Value = Vec<(String, &'t RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

struct Items;

impl<'t> Visitor<'t> for Items {
    type Value = Vec<&'t RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}
