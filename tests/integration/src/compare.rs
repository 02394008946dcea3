//! Whether two sides hold the same rows.

use std::collections::BTreeMap;

use mirror_runtime::{Schema, TableLayout};
use test_mirror::{Mirror, Snapshot, Tables};

use crate::World;
use crate::oracle::{Line, server_rows};
use crate::shown::snapshot_rows;

/// The first difference between two sides, in words; `None` when they are equal.
#[must_use]
pub fn difference(layout: &TableLayout, one: Vec<Line>, other: Vec<Line>) -> Option<String> {
    let (one, other) = (by_key(layout, one), by_key(layout, other));
    let table = layout.table;
    for (key, line) in &one {
        let Some(found) = other.get(key) else {
            return Some(format!("{table}: only the first has row {key:?}: {line:?}"));
        };
        for (field, column) in layout.columns.iter().enumerate() {
            if line[field] != found[field] {
                return Some(format!(
                    "{table}.{} of row {key:?}: {:?} and {:?}",
                    column.name, line[field], found[field]
                ));
            }
        }
    }
    let only = other.iter().find(|(key, _)| !one.contains_key(*key))?;
    Some(format!("{table}: only the second has row {only:?}"))
}

fn by_key(layout: &TableLayout, lines: Vec<Line>) -> BTreeMap<Line, Line> {
    let count = lines.len();
    let rows: BTreeMap<Line, Line> = lines
        .into_iter()
        .map(|line| {
            let key = layout.key.iter().map(|&field| line[field].clone());
            (key.collect(), line)
        })
        .collect();
    assert_eq!(rows.len(), count, "{}: a key stands twice", layout.table);
    rows
}

/// The first difference between a snapshot and the server, and the number of rows compared.
///
/// # Panics
/// When the server cannot be asked.
pub fn server_difference(world: &World, snapshot: &Snapshot) -> (Option<String>, usize) {
    let mut conn = world.conn();
    let names = world.tables();
    let mut rows = 0;
    for layout in Tables::layouts() {
        if !names.contains(&layout.full_name()) {
            continue;
        }
        let server = server_rows(&mut conn, layout);
        rows += server.len();
        let found = difference(layout, snapshot_rows(snapshot, layout), server);
        if found.is_some() {
            return (found, rows);
        }
    }
    (None, rows)
}

/// Waits until the mirror has caught up, and compares every table with the server; nobody may
/// write meanwhile. The number of rows compared.
///
/// # Panics
/// When they differ.
pub fn assert_equals_server(world: &World, mirror: &Mirror) -> usize {
    world.catch_up(mirror);
    let (found, rows) = server_difference(world, &mirror.snapshot());
    if let Some(found) = found {
        panic!(
            "{}: mirror and server differ: {found}; {:?}",
            world.flavor(),
            mirror.status()
        );
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::layout_of;

    fn line(id: &str, n: &str) -> Line {
        vec![Some(id.into()), Some(n.into())]
    }

    #[test]
    fn a_missing_row_a_row_too_many_and_another_value_are_differences() {
        let layout = layout_of("marker");
        let both = vec![line("1", "5"), line("2", "6")];
        let reverse = both.iter().rev().cloned().collect();
        assert_eq!(difference(layout, both.clone(), reverse), None);
        for other in [
            vec![line("1", "5")],
            vec![line("1", "5"), line("2", "7")],
            vec![line("1", "5"), line("2", "6"), line("3", "7")],
        ] {
            assert!(difference(layout, both.clone(), other.clone()).is_some());
            assert!(difference(layout, other, both.clone()).is_some());
        }
    }
}
