//! XA transactions that wait for their second phase.

use mysql::prelude::Queryable;
use mysql::{Conn, Row};

use super::finding::{Finding, Severity};

/// Statements that are shown at most.
const SHOWN: usize = 10;

/// XA RECOVER; `None` when the account may not ask (MySQL 8.0: XA_RECOVER_ADMIN).
pub(super) fn finding(conn: &mut Conn) -> Option<Finding> {
    let rows: Vec<Row> = match conn.query("XA RECOVER") {
        Ok(rows) => rows,
        Err(error) => {
            tracing::debug!(%error, "prepared transactions are not shown to this account");
            return None;
        }
    };
    let found = rows.len().to_string();
    let mut finding = Finding::setting("prepared XA transactions", &found, "0")
        .remedy(
            "works, but they hold locks, and each commit of one makes the mirror load all tables \
             again; commit those that are left over, or roll them back (XA ROLLBACK)",
        )
        .unless(rows.is_empty(), Severity::Warning);
    for row in rows.iter().take(SHOWN) {
        finding = finding.sql(format!("XA COMMIT {}", xid(row)?));
    }
    Some(finding)
}

/// The columns formatID, gtrid_length, bqual_length, data as an xid.
fn xid(row: &Row) -> Option<String> {
    let format: i64 = row.get_opt(0)?.ok()?;
    let length: usize = row.get_opt(1)?.ok()?;
    let data: Vec<u8> = row.get_opt(3)?.ok()?;
    let (global, branch) = data.split_at_checked(length)?;
    let hex = |bytes: &[u8]| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("X'{digits}'")
    };
    Some(format!("{},{},{format}", hex(global), hex(branch)))
}
