//! Bytes that a row takes in the mirror, against the bytes of its values.

use mirror_runtime::Value;
use mirror_runtime::store::RowValues;

use bench_contenders::{Error, MemoryMirror};

use crate::measure::allocated;
use crate::report::Measurement;
use crate::workload::Interval;

/// What a row may take: so many times the bytes of its values, and so many bytes more.
const TARGET_TIMES: f64 = 1.5;
const TARGET_MORE: f64 = 64.0;

/// Applies the inserts of both tables to empty ones, and counts the bytes that are allocated and
/// not freed after that.
pub(crate) fn run(intervals: &[Interval]) -> Result<Vec<Measurement>, Error> {
    let mut measurements = Vec::new();
    for (interval, table) in [
        ("insert_short", "short_table"),
        ("insert_long", "long_table"),
    ] {
        let found = intervals.iter().find(|found| found.name == interval);
        let interval = found.ok_or("the load lacks its inserts")?;
        measurements.extend(table_figures(interval, table)?);
    }
    Ok(measurements)
}

fn table_figures(interval: &Interval, table: &str) -> Result<[Measurement; 2], Error> {
    let mut tables = MemoryMirror::new();
    let counted = allocated(&[&interval.file])?;
    let allocated = counted.first().ok_or("nothing was counted")?;
    tables.apply(&interval.file)?;
    let snapshot = tables.snapshot();
    let values = match table {
        "short_table" => sum(snapshot.short_table().iter())?,
        _ => sum(snapshot.long_table().iter())?,
    };
    if values.rows != interval.rows {
        return Err(format!("{} rows of {table} are there", values.rows).into());
    }
    let rows = values.rows as f64;
    let (each, value_bytes) = (allocated.left / rows, values.bytes as f64 / rows);
    let figure = |name: String, baseline, baseline_value| Measurement {
        name,
        unit: "bytes a row",
        value: each,
        baseline,
        baseline_value,
        runs: 1,
        note: format!(
            "{} rows; {:.1} MB at most while they came",
            values.rows,
            allocated.peak / 1e6
        ),
    };
    let target = TARGET_TIMES * value_bytes + TARGET_MORE;
    let name = format!("memory_{table}");
    Ok([
        figure(name.clone(), "the bytes of the values", value_bytes),
        figure(
            format!("{name}_vs_target"),
            "1.5 times the values, and 64",
            target,
        ),
    ])
}

/// Rows, and the bytes of all their values.
struct Values {
    rows: u64,
    bytes: u64,
}

fn sum<'r, R: RowValues + 'r>(rows: impl Iterator<Item = &'r R>) -> Result<Values, Error> {
    let mut sum = Values { rows: 0, bytes: 0 };
    for row in rows {
        sum.rows += 1;
        for field in 0..row.row_layout().columns.len() {
            sum.bytes += bytes_of(&row.column_value(field))?;
        }
    }
    Ok(sum)
}

/// Bytes of a value itself: those of numbers as MySQL stores them, the bytes of texts without
/// their lengths. Only of the types that the two tables have.
fn bytes_of(value: &Value<'_>) -> Result<u64, Error> {
    Ok(match value {
        Value::Null => 0,
        // All integers of the two tables are INT.
        Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Timestamp(_) => 4,
        Value::Double(_) => 8,
        Value::Enum(_) | Value::Set(_) => 1,
        Value::Text(text) => text.len() as u64,
        Value::Bytes(bytes) => bytes.len() as u64,
        other => return Err(format!("no size is known for {other:?}").into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_without_their_lengths_and_numbers_as_the_server_stores_them() {
        assert_eq!(bytes_of(&Value::Text("four".into())).unwrap(), 4);
        assert_eq!(bytes_of(&Value::Int(1)).unwrap(), 4);
        assert_eq!(bytes_of(&Value::Set(7)).unwrap(), 1);
        assert!(bytes_of(&Value::Year(2000)).is_err());
    }
}
