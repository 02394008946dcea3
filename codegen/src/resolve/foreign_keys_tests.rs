//! What `has_exact_equality` accepts, the runtime must be able to follow by value.

use mirror_runtime::layout::{self, ForeignKeyAction, ForeignKeyLayout};
use mirror_runtime::store::{ChildChange, ParentKey, RowValues};
use mirror_runtime::{
    ColumnLayout, ColumnValue, Date, DateTime, Decimal, TableLayout, Time, Timestamp, Uuid, Value,
};

use super::*;

const TABLE: TableLayout = TableLayout {
    database: "d",
    table: "t",
    columns: &[],
    key: &[],
    physical_columns: 1,
    old_fractions: &[],
    foreign_keys: &[],
    ignored_foreign_keys: &[],
};

/// A row of one column.
struct Row(Value<'static>);

impl RowValues for Row {
    fn row_layout(&self) -> &'static TableLayout {
        &TABLE
    }

    fn column_value(&self, _field: usize) -> Value<'_> {
        self.0.clone()
    }
}

/// The value of a generated row's field, as the runtime sees it.
fn value<T: ColumnValue + 'static>(held: T, kind: layout::ColumnType) -> Value<'static> {
    let column: &'static ColumnLayout = Box::leak(Box::new(ColumnLayout {
        name: "c",
        ordinal: 0,
        nullable: false,
        sql_type: "",
        charset: None,
        generated_from: None,
        kind,
    }));
    Box::leak(Box::new(held)).as_value(column)
}

/// A value of each type as `tokens::types::column_type` has it, or `None` for those that nobody
/// wants to follow by value. A type that is added has to be added here.
fn sample(ty: &ColumnType) -> Option<Value<'static>> {
    use layout::ColumnType as Kind;
    let date = Date::new(2031, 2, 3).unwrap();
    let integer = |unsigned: bool, signed: Value<'static>, other: Value<'static>| match unsigned {
        true => other,
        false => signed,
    };
    Some(match *ty {
        ColumnType::TinyInt { unsigned } => {
            let kind = Kind::TinyInt { unsigned };
            integer(unsigned, value(-1_i8, kind), value(1_u8, kind))
        }
        ColumnType::SmallInt { unsigned } => {
            let kind = Kind::SmallInt { unsigned };
            integer(unsigned, value(-1_i16, kind), value(1_u16, kind))
        }
        ColumnType::MediumInt { unsigned } => {
            let kind = Kind::MediumInt { unsigned };
            integer(unsigned, value(-1_i32, kind), value(1_u32, kind))
        }
        ColumnType::Int { unsigned } => {
            let kind = Kind::Int { unsigned };
            integer(unsigned, value(-1_i32, kind), value(1_u32, kind))
        }
        ColumnType::BigInt { unsigned } => {
            let kind = Kind::BigInt { unsigned };
            integer(unsigned, value(-1_i64, kind), value(1_u64, kind))
        }
        ColumnType::Decimal { precision, scale } => {
            let kind = Kind::Decimal { precision, scale };
            match precision > 28 {
                true => value("1.50".parse::<mirror_runtime::BigDecimal>().unwrap(), kind),
                false => value("1.50".parse::<Decimal>().unwrap(), kind),
            }
        }
        ColumnType::Float => value(1.5_f32, Kind::Float),
        ColumnType::Double => value(1.5_f64, Kind::Double),
        ColumnType::Date => value(date, Kind::Date),
        ColumnType::DateTime { fsp } => {
            let held = DateTime::new(date, 4, 5, 6, 700_000).unwrap();
            value(held, Kind::DateTime { fsp })
        }
        ColumnType::Timestamp { .. } => Value::Timestamp(Timestamp::default()),
        ColumnType::Time { .. } => Value::Time(Time::default()),
        ColumnType::Year => value(2031_u16, Kind::Year),
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            Value::Text("a".into())
        }
        ColumnType::Binary { bytes } => {
            let held: Box<[u8]> = Box::from([1, 0]);
            value(held, Kind::Binary { bytes })
        }
        ColumnType::VarBinary { max_bytes } => {
            let held: Box<[u8]> = Box::from([1, 0]);
            value(held, Kind::VarBinary { max_bytes })
        }
        ColumnType::Blob { .. } => Value::Bytes(vec![1, 0].into()),
        ColumnType::Enum { .. } => Value::Enum(1),
        ColumnType::Set { .. } => Value::Set(1),
        ColumnType::Bit { .. } => Value::Bit(1),
        ColumnType::Uuid => Value::Uuid(Uuid::default()),
        ColumnType::Inet4 | ColumnType::Inet6 => Value::Ip([127, 0, 0, 1].into()),
        // No server lets these be part of a key without a prefix, nor so of a foreign key.
        ColumnType::Json | ColumnType::Geometry | ColumnType::Vector { .. } => return None,
    })
}

/// One of each type.
fn all_types() -> Vec<ColumnType> {
    use ColumnType as T;
    let mut types = vec![
        T::Float,
        T::Double,
        T::Date,
        T::Timestamp { fsp: 3 },
        T::Time { fsp: 3 },
        T::Year,
        T::Char { max_bytes: 4 },
        T::VarChar { max_bytes: 4 },
        T::Text { length_bytes: 1 },
        T::Binary { bytes: 2 },
        T::VarBinary { max_bytes: 2 },
        T::Blob { length_bytes: 1 },
        T::Enum { members: vec![] },
        T::Set { members: vec![] },
        T::Bit { bits: 8 },
        T::Json,
        T::Geometry,
        T::Vector { dimension: 2 },
        T::Uuid,
        T::Inet4,
        T::Inet6,
    ];
    for unsigned in [false, true] {
        types.push(T::TinyInt { unsigned });
        types.push(T::SmallInt { unsigned });
        types.push(T::MediumInt { unsigned });
        types.push(T::Int { unsigned });
        types.push(T::BigInt { unsigned });
    }
    for precision in [10, 28, 29, 65] {
        types.push(T::Decimal {
            precision,
            scale: 2,
        });
    }
    for fsp in [0, 1, 6] {
        types.push(T::DateTime { fsp });
    }
    types
}

/// Whether the runtime finds children by such a value, and gives them another.
fn can_be_followed(held: Value<'static>) -> bool {
    let row = Row(held);
    let key = ForeignKeyLayout {
        name: "k",
        parent: ("d", "t"),
        fields: &[0],
        parent_fields: &[0],
        on_delete: ForeignKeyAction::Cascade,
        on_update: ForeignKeyAction::Cascade,
        by_value: true,
    };
    let found = ParentKey::of(&row, &[0]).is_some();
    let set = matches!(
        ChildChange::of(&key, Some(&row)),
        Ok(Some(ChildChange::Set(_)))
    );
    assert_eq!(
        found, set,
        "it is found by values that it cannot be given, or not"
    );
    found
}

#[test]
fn what_is_followed_by_value_the_runtime_can_find_and_set() {
    let mut followed = 0;
    for ty in all_types() {
        let can = sample(&ty).is_some_and(can_be_followed);
        assert!(can || !has_exact_equality(&ty), "{ty:?} cannot be followed");
        followed += usize::from(has_exact_equality(&ty));
    }
    assert!(followed >= 20, "{followed} types only");
}

#[test]
fn what_the_runtime_cannot_find_is_not_followed_by_value() {
    for ty in all_types() {
        let Some(held) = sample(&ty) else { continue };
        // BLOB is bytes too, but never in a foreign key; the others are compared otherwise.
        let is_blob = matches!(ty, ColumnType::Blob { .. });
        assert_eq!(
            can_be_followed(held),
            has_exact_equality(&ty) || is_blob,
            "{ty:?}"
        );
    }
}
