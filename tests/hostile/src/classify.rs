//! Statements of QUERY events.

use mirror_runtime::{Schema as _, Statement};
use test_mirror::Tables;

/// A statement, with the database of the tables as the default one and without.
///
/// Only tables that exist are named, in order, and each once; the kind is short.
pub fn classify(statement: &[u8]) {
    let tables = Tables::layouts();
    for database in ["mirror_test", "other"] {
        match mirror_runtime::classify(statement, database, tables) {
            Statement::Truncate { table } => assert!(table < tables.len()),
            Statement::Touches {
                tables: touched,
                kind,
            } => {
                assert!(touched.is_sorted_by(|one, next| one < next));
                assert!(touched.iter().all(|table| *table < tables.len()));
                assert!((1..=60).contains(&kind.len()), "{kind:?}");
            }
            _ => {}
        }
    }
}
