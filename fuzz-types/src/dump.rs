//! What a mirror holds, read from the driver's dump, in the form that the oracle gives.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::error::Error;
use crate::oracle::Kind;
use crate::sql;

/// Values of a row as JSON text, by column name.
pub type Values = BTreeMap<String, String>;

/// A table of a dump.
#[derive(Debug, Default)]
pub struct Table {
    /// Names of the key's columns.
    pub key: Vec<String>,
    /// The rows.
    pub rows: Vec<Values>,
}

/// Tables by full name.
pub type Dump = BTreeMap<String, Table>;

/// Reads a dump.
///
/// # Errors
/// When the file cannot be read or is not as the driver writes it.
pub fn read(path: &Path) -> Result<Dump, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
    parse(&text).map_err(|detail| Error::Program {
        program: "driver".to_owned(),
        detail: format!("{}: {detail}", path.display()),
    })
}

/// Reads a dump's text.
///
/// # Errors
/// A sentence about the line that is wrong.
pub fn parse(text: &str) -> Result<Dump, String> {
    let mut dump = Dump::new();
    let mut name = String::new();
    // Row text holds no line break but those between rows.
    for (number, line) in text.split('\n').enumerate() {
        let bad = |what: String| format!("line {}: {what}", number + 1);
        match line.split_once(' ') {
            Some(("T", header)) => {
                let header: serde_json::Value =
                    serde_json::from_str(header).map_err(|error| bad(error.to_string()))?;
                name = header["table"].as_str().unwrap_or_default().to_owned();
                let key = header["key"].as_array().into_iter().flatten();
                let key = key
                    .filter_map(|name| name.as_str().map(str::to_owned))
                    .collect();
                dump.insert(
                    name.clone(),
                    Table {
                        key,
                        rows: Vec::new(),
                    },
                );
            }
            Some(("R", row)) => {
                let row = members(row).map_err(bad)?;
                let table = dump
                    .get_mut(&name)
                    .ok_or_else(|| bad("a row without a table".to_owned()))?;
                table.rows.push(row);
            }
            _ if line.is_empty() => {}
            _ => return Err(bad("neither a table nor a row".to_owned())),
        }
    }
    Ok(dump)
}

/// An object's members, values as their text.
fn members(text: &str) -> Result<Values, String> {
    let map: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let members = map.into_iter();
    Ok(members
        .map(|(name, value)| (name, value.get().to_owned()))
        .collect())
}

/// A value of the dump in the form that the oracle gives.
///
/// # Errors
/// When the JSON is not what a column of that kind is printed as.
pub fn canonical(kind: Kind, json: &str) -> Result<Option<String>, String> {
    if json == "null" && kind != Kind::Json {
        return Ok(None);
    }
    let string = || {
        serde_json::from_str::<String>(json).map_err(|_| format!("expected a string, got {json}"))
    };
    Ok(Some(match kind {
        Kind::Integer | Kind::Bool | Kind::Float | Kind::Double => json.to_owned(),
        Kind::Printed | Kind::Decimal => string()?,
        Kind::Text => sql::hex(string()?.as_bytes()),
        Kind::Bytes => {
            let bytes = STANDARD.decode(string()?);
            sql::hex(&bytes.map_err(|error| format!("not base64: {error}"))?)
        }
        Kind::Enum if json.starts_with('"') => format!("label {}", sql::hex(string()?.as_bytes())),
        Kind::Enum => json.to_owned(),
        Kind::Set => {
            let labels: Vec<String> = serde_json::from_str(json)
                .map_err(|_| format!("expected a list of labels, got {json}"))?;
            let count = labels.len();
            let whole: Vec<String> = labels
                .into_iter()
                .filter(|label| !label.is_empty())
                .collect();
            format!("{count} labels {}", sql::hex(whole.join(",").as_bytes()))
        }
        Kind::Json => sql::hex(json.as_bytes()),
        Kind::Vector => {
            let numbers: Vec<&RawValue> = serde_json::from_str(json)
                .map_err(|_| format!("expected a list of numbers, got {json}"))?;
            let mut bytes = Vec::new();
            for number in numbers {
                let number: f32 = number
                    .get()
                    .parse()
                    .map_err(|_| format!("not a number: {number}"))?;
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            sql::hex(&bytes)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_gives_tables_keys_and_rows() {
        let dump =
            parse("T {\"table\":\"a.b\",\"key\":[\"k\"]}\nR {\"k\":1,\"j\":[1.50, {}]}\n").unwrap();
        let table = &dump["a.b"];
        assert_eq!(table.key, ["k"]);
        assert_eq!(table.rows[0]["j"], "[1.50, {}]");
        assert!(parse("R {}").is_err() && parse("x").is_err());
    }

    #[test]
    fn values_have_the_oracles_form() {
        let text = |kind, json| canonical(kind, json).unwrap().unwrap();
        assert_eq!(text(Kind::Text, r#""a\u0000""#), "6100");
        assert_eq!(text(Kind::Bytes, r#""AP8=""#), "00FF");
        assert_eq!(text(Kind::Enum, "0"), "0");
        assert_eq!(text(Kind::Enum, r#""""#), "label ");
        assert_eq!(text(Kind::Set, r#"[""]"#), "1 labels ");
        assert_eq!(text(Kind::Set, "[]"), "0 labels ");
        assert_eq!(text(Kind::Set, r#"["a","","b"]"#), "3 labels 612C62");
        assert_eq!(text(Kind::Vector, "[1.0,-0.0]"), "0000803F00000080");
        assert_eq!(canonical(Kind::Text, "null"), Ok(None));
        assert!(canonical(Kind::Text, "1").is_err());
        assert!(canonical(Kind::Bytes, r#""%""#).is_err());
    }
}
