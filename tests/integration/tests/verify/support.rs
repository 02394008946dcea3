//! What the tests of `verify` write, logged and behind the mirror's back.

use integration::compare::difference;
use integration::edge::Literals;
use integration::oracle::server_rows;
use integration::{Random, World, run_in};
use mirror_runtime::{Difference, TableLayout, VerifyOptions, VerifyReport};
use mysql::Conn;
use mysql::prelude::Queryable;

/// Options with pages of so many rows.
pub(crate) fn small_pages(rows: u64) -> VerifyOptions {
    VerifyOptions {
        page_rows: rows,
        ..VerifyOptions::default()
    }
}

/// What the session writes from now on is not in the binlog.
pub(crate) fn unlogged(conn: &mut Conn) {
    run_in(conn, "SET SESSION sql_log_bin = 0");
}

/// The differences that a report names, each with its table.
pub(crate) fn found(report: &VerifyReport) -> impl Iterator<Item = (String, Difference)> {
    let tables = report.tables.iter();
    tables.flat_map(|table| {
        let named = table.first.iter().cloned();
        named.map(|difference| (table.table.clone(), difference))
    })
}

/// Rows of edge values with these ids.
pub(crate) fn fill(
    conn: &mut Conn,
    layout: &TableLayout,
    ids: std::ops::RangeInclusive<u32>,
    random: &mut Random,
) {
    let literals = Literals::new(layout);
    for id in ids {
        let values: Vec<String> = (1..layout.columns.len())
            .map(|field| literals.value(field, id as usize + field * 5, random))
            .collect();
        let (table, values) = (layout.table, values.join(", "));
        run_in(
            conn,
            &format!("INSERT INTO {table} VALUES ({id}, {values})"),
        );
    }
}

/// Rows 1 to `rows` of the table `big`.
pub(crate) fn fill_big(conn: &mut Conn, rows: u32) {
    for first in (1..=rows).step_by(2_000) {
        let last = (first + 1_999).min(rows);
        let values: Vec<String> = (first..=last)
            .map(|id| format!("({id}, {}, 'row {id}')", id.wrapping_mul(7919) % 100_003))
            .collect();
        run_in(
            conn,
            &format!("INSERT INTO big VALUES {}", values.join(", ")),
        );
    }
}

/// The same after the table was emptied or not.
pub(crate) fn refill_big(conn: &mut Conn, rows: u32) {
    run_in(conn, "DELETE FROM big");
    fill_big(conn, rows);
}

/// Changes single values behind the mirror's back.
pub(crate) struct Planter {
    conn: Conn,
}

impl Planter {
    pub(crate) fn new(world: &World) -> Self {
        let mut conn = world.conn();
        unlogged(&mut conn);
        Self { conn }
    }

    /// Gives one column of one row another value; false when it has only one.
    pub(crate) fn plant(
        &mut self,
        layout: &'static TableLayout,
        field: usize,
        id: u32,
        random: &mut Random,
    ) -> bool {
        let literals = Literals::new(layout);
        let before = server_rows(&mut self.conn, layout);
        for turn in 0..20 {
            let (table, column) = (layout.table, layout.columns[field].name);
            let value = literals.value(field, id as usize + turn, random);
            let sql = format!("UPDATE {table} SET `{column}` = {value} WHERE id = {id}");
            self.conn
                .query_drop(&sql)
                .unwrap_or_else(|error| panic!("{table}.{column}: {error}"));
            let after = server_rows(&mut self.conn, layout);
            if difference(layout, before.clone(), after).is_some() {
                return true;
            }
        }
        false
    }
}

/// Makes the time between a transaction's place in the binlog, where a mirror sees it, and its
/// visibility to SELECTs long, or as it is by itself.
pub(crate) fn widen_the_race(world: &World, wide: bool) {
    let settings: &[&str] = match (world.is_mysql(), wide) {
        (true, _) if world.version() < (5, 7, 5) => &[],
        (true, true) => &["binlog_group_commit_sync_delay = 50000"],
        (true, false) => &["binlog_group_commit_sync_delay = 0"],
        (false, true) => &[
            "rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
            "rpl_semi_sync_master_wait_no_slave = ON",
            "rpl_semi_sync_master_timeout = 150",
            "rpl_semi_sync_master_enabled = OFF",
            "rpl_semi_sync_master_enabled = ON",
        ],
        (false, false) => &["rpl_semi_sync_master_enabled = OFF"],
    };
    for setting in settings {
        world.run(&format!("SET GLOBAL {setting}"));
    }
}
