//! Types of the DDL to types of the model; what cannot be mirrored exactly is refused.

use crate::ddl::{ColumnDef, DataType, Family, TypeArgs, charset};
use crate::model::{ColumnType, Held, Member};
use crate::names;

/// Most members of a SET (MySQL manual: "The SET Type").
const MOST_SET_MEMBERS: usize = 64;

/// Most members of an ENUM (MySQL manual: "The ENUM Type").
const MOST_ENUM_MEMBERS: usize = 65_535;

/// Entries of a VECTOR without a length (MySQL manual: "The VECTOR Type").
const MYSQL_VECTOR_DIMENSION: u32 = 2048;

/// Most entries of a VECTOR of either server.
const MOST_VECTOR_DIMENSION: u32 = 16_383;

/// GEOMETRY and its subtypes, as either server prints them.
pub(super) const GEOMETRY_TYPES: &[&str] = &[
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
    "geomcollection",
];

/// Why a column cannot be mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong with the type.
    pub why: String,
    /// What can be done apart from leaving the column out; may be empty.
    pub remedy: String,
}

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            remedy: String::new(),
        }
    }
}

/// The model's type of a column.
///
/// # Errors
/// A [`Refusal`] when values of this type cannot be mirrored exactly.
pub fn column_type(column: &ColumnDef, family: Family) -> Result<ColumnType, Refusal> {
    let data_type = &column.data_type;
    if let Some(ty) = integer(data_type) {
        return Ok(ty);
    }
    if let Some(ty) = temporal(data_type)? {
        return Ok(ty);
    }
    match data_type.name.as_str() {
        "float" => Ok(ColumnType::Float),
        "double" | "real" => Ok(ColumnType::Double),
        "decimal" | "numeric" => decimal(data_type),
        "bit" => match number(data_type, 0).unwrap_or(1) {
            bits @ 1..=64 => Ok(ColumnType::Bit { bits: small(bits)? }),
            bits => Err(Refusal::new(format!("BIT({bits}) is out of range"))),
        },
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => text(column),
        "binary" => Ok(ColumnType::Binary {
            bytes: number(data_type, 0).unwrap_or(1),
        }),
        "varbinary" => Ok(ColumnType::VarBinary {
            max_bytes: number(data_type, 0).unwrap_or(0),
        }),
        "tinyblob" => Ok(ColumnType::Blob { length_bytes: 1 }),
        "blob" => Ok(ColumnType::Blob { length_bytes: 2 }),
        "mediumblob" => Ok(ColumnType::Blob { length_bytes: 3 }),
        "longblob" => Ok(ColumnType::Blob { length_bytes: 4 }),
        "enum" => members(data_type, MOST_ENUM_MEMBERS, names::variants)
            .map(|members| ColumnType::Enum { members }),
        "set" => members(data_type, MOST_SET_MEMBERS, names::constants)
            .map(|members| ColumnType::Set { members }),
        "json" if family == Family::MySql => Ok(ColumnType::Json),
        "vector" => match number(data_type, 0).unwrap_or(MYSQL_VECTOR_DIMENSION) {
            dimension @ 1..=MOST_VECTOR_DIMENSION => Ok(ColumnType::Vector { dimension }),
            dimension => Err(Refusal::new(format!("VECTOR({dimension}) is out of range"))),
        },
        "uuid" if family == Family::MariaDb => Ok(ColumnType::Uuid),
        "inet4" if family == Family::MariaDb => Ok(ColumnType::Inet4),
        "inet6" if family == Family::MariaDb => Ok(ColumnType::Inet6),
        name if GEOMETRY_TYPES.contains(&name) => Ok(ColumnType::Geometry),
        _ => Err(Refusal::new("this type cannot be mirrored")),
    }
}

/// What values are held as: what schema.json asks for, where the type allows it.
///
/// # Errors
/// A [`Refusal`] when it does not.
pub(super) fn held(ty: &ColumnType, asked: Option<&Held>) -> Result<Held, Refusal> {
    use ColumnType as T;
    let refuse = |why: &str| {
        Err(Refusal {
            why: why.to_owned(),
            remedy: "leave `as` out".to_owned(),
        })
    };
    match (asked, ty) {
        (None, _) => Ok(Held::Natural),
        (Some(Held::Bool), T::TinyInt { .. }) => Ok(Held::Bool),
        (Some(Held::Bool), _) => refuse("only a TINYINT can be read as \"bool\""),
        (Some(Held::Bytes), T::Char { .. } | T::VarChar { .. } | T::Text { .. }) => Ok(Held::Bytes),
        (Some(Held::Bytes), _) => refuse("only CHAR, VARCHAR and TEXT can be read as \"bytes\""),
        (Some(Held::User(_)), T::Enum { .. } | T::Set { .. }) => {
            refuse("ENUM and SET have generated types and no others")
        }
        (Some(other), _) => Ok(other.clone()),
    }
}

fn integer(data_type: &DataType) -> Option<ColumnType> {
    let unsigned = data_type.unsigned;
    Some(match data_type.name.as_str() {
        "tinyint" => ColumnType::TinyInt { unsigned },
        "smallint" => ColumnType::SmallInt { unsigned },
        "mediumint" => ColumnType::MediumInt { unsigned },
        "int" | "integer" => ColumnType::Int { unsigned },
        "bigint" => ColumnType::BigInt { unsigned },
        _ => return None,
    })
}

fn temporal(data_type: &DataType) -> Result<Option<ColumnType>, Refusal> {
    let fsp = || match number(data_type, 0).unwrap_or(0) {
        fsp @ 0..=6 => small(fsp),
        fsp => Err(Refusal::new(format!(
            "{fsp} digits of a second are out of range"
        ))),
    };
    Ok(Some(match data_type.name.as_str() {
        "date" => ColumnType::Date,
        "datetime" => ColumnType::DateTime { fsp: fsp()? },
        "timestamp" => ColumnType::Timestamp { fsp: fsp()? },
        "time" => ColumnType::Time { fsp: fsp()? },
        "year" if number(data_type, 0) == Some(2) => {
            return Err(Refusal {
                why: "YEAR(2) has no century".to_owned(),
                remedy: "make it a YEAR(4)".to_owned(),
            });
        }
        "year" => ColumnType::Year,
        _ => return Ok(None),
    }))
}

/// MySQL manual: "Fixed-Point Types": 65 digits, 30 behind the point; MariaDB: 38.
fn decimal(data_type: &DataType) -> Result<ColumnType, Refusal> {
    let precision = number(data_type, 0).unwrap_or(10);
    let scale = number(data_type, 1).unwrap_or(0);
    if precision == 0 || precision > 65 || scale > 38 || scale > precision {
        return Err(Refusal::new(format!(
            "DECIMAL({precision},{scale}) is out of range"
        )));
    }
    Ok(ColumnType::Decimal {
        precision: small(precision)?,
        scale: small(scale)?,
    })
}

fn text(column: &ColumnDef) -> Result<ColumnType, Refusal> {
    let Some(charset) = column.charset.as_deref() else {
        return Err(Refusal::new(
            "its character set is in neither column nor table",
        ));
    };
    let binary = charset == "binary";
    if !binary && !charset::is_decoded(charset) {
        return Err(Refusal {
            why: format!("text in character set {charset} has no decoder"),
            remedy: "convert the column to utf8mb4".to_owned(),
        });
    }
    let characters = number(&column.data_type, 0).unwrap_or(1);
    let max_bytes = characters
        .checked_mul(charset::max_char_bytes(charset))
        .ok_or_else(|| Refusal::new("its length is out of range"))?;
    let length_bytes = match column.data_type.name.as_str() {
        "char" if binary => return Ok(ColumnType::Binary { bytes: max_bytes }),
        "varchar" if binary => return Ok(ColumnType::VarBinary { max_bytes }),
        "char" => return Ok(ColumnType::Char { max_bytes }),
        "varchar" => return Ok(ColumnType::VarChar { max_bytes }),
        "tinytext" => 1,
        "text" => 2,
        "mediumtext" => 3,
        _ => 4,
    };
    Ok(if binary {
        ColumnType::Blob { length_bytes }
    } else {
        ColumnType::Text { length_bytes }
    })
}

fn members(
    data_type: &DataType,
    most: usize,
    rust_names: fn(&[String]) -> Vec<String>,
) -> Result<Vec<Member>, Refusal> {
    let TypeArgs::Labels(labels) = &data_type.args else {
        return Err(Refusal::new("its labels are missing"));
    };
    if labels.len() > most {
        return Err(Refusal::new(format!(
            "it has {} labels, at most {most} are possible",
            labels.len()
        )));
    }
    let member = |(label, rust_name): (&String, String)| Member {
        label: label.clone(),
        rust_name,
    };
    Ok(labels.iter().zip(rust_names(labels)).map(member).collect())
}

fn number(data_type: &DataType, at: usize) -> Option<u32> {
    match &data_type.args {
        TypeArgs::Numbers(numbers) => numbers.get(at).copied(),
        TypeArgs::None | TypeArgs::Labels(_) => None,
    }
}

fn small(number: u32) -> Result<u8, Refusal> {
    u8::try_from(number).map_err(|_| Refusal::new(format!("{number} is out of range")))
}
