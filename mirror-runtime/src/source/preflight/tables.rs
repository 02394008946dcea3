//! Tables: whether they are there and may be read, and whether row events tell all of them.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::finding::{Finding, FindingKind, Severity, TableRequirement};
use crate::row::quote_identifier;
use crate::source::error::{Context, SourceError, from_mysql};
use crate::source::status::first;

/// What is found of a table that is not there.
pub(crate) const NO_TABLE: &str = "no such table";

/// The table is there and may be read: tried, without reading a row.
pub(super) fn right(
    conn: &mut Conn,
    table: &TableRequirement,
    account: &str,
) -> Result<Finding, SourceError> {
    let place = table.place();
    let columns = if table.columns.is_empty() {
        "1".to_owned()
    } else {
        let quoted = table.columns.iter().map(|name| quote_identifier(name));
        quoted.collect::<Vec<_>>().join(", ")
    };
    let name = format!("SELECT on {}", table.full_name());
    let finding = |kind, found: &str| Finding::new(kind, &name, found, "granted");
    let tried = conn
        .query_drop(format!("SELECT {columns} FROM {place} LIMIT 0"))
        .map_err(|error| from_mysql(error, &Context::query("trying to read a table")));
    Ok(match tried {
        Ok(()) => finding(FindingKind::Right, "granted"),
        Err(SourceError::MissingRight { .. }) => finding(FindingKind::Right, "not granted")
            .sql(format!("GRANT SELECT ON {place} TO {account}"))
            .severity(Severity::Error),
        Err(SourceError::UnknownTable { .. } | SourceError::UnknownDatabase { .. }) => {
            Finding::new(FindingKind::Table, &name, NO_TABLE, "a table")
                .remedy("check schema.json, or create the table")
                .severity(Severity::Error)
        }
        Err(SourceError::Server {
            code: 1054,
            message,
            ..
        }) => finding(FindingKind::Table, &message)
            .remedy("the table was changed: run `cargo xtask regenerate` and build again")
            .severity(Severity::Error),
        Err(error) => return Err(error),
    })
}

/// What is not as row events need it: the table's kind, its engine.
pub(super) fn shape(conn: &mut Conn, table: &TableRequirement) -> Result<Finding, SourceError> {
    let literal = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"));
    let statement = format!(
        "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND \
         TABLE_NAME = {} ORDER BY CAST(TABLE_NAME AS BINARY) = CAST({} AS BINARY) DESC",
        literal(&table.database),
        literal(&table.table),
        literal(&table.table),
    );
    let row: Option<(String, Option<String>)> =
        first(conn, &statement, "reading a table's engine")?;
    let (kind, engine) = row.unwrap_or_default();
    let finding = judge_engine(&kind, engine.as_deref().unwrap_or("none"), table);
    Ok(finding)
}

fn judge_engine(kind: &str, engine: &str, table: &TableRequirement) -> Finding {
    let name = format!("engine of {}", table.full_name());
    let of = |found: &str| Finding::new(FindingKind::Table, &name, found, "a transactional engine");
    let place = table.place();
    let to_innodb = format!("ALTER TABLE {place} ENGINE = InnoDB");
    if kind == "SYSTEM VERSIONED" {
        return of("a system-versioned table")
            .remedy("rows of its past are in the binlog too, and cannot be told from others")
            .sql(format!("ALTER TABLE {place} DROP SYSTEM VERSIONING"))
            .severity(Severity::Error);
    }
    if kind != "BASE TABLE" {
        return of(&format!("a {}", kind.to_lowercase()))
            .remedy("its changes are logged as those of other tables; mirror those")
            .severity(Severity::Error);
    }
    match engine.to_ascii_uppercase().as_str() {
        "INNODB" | "ROCKSDB" | "TOKUDB" => of(engine),
        "MYISAM" | "ARIA" | "CSV" | "ARCHIVE" => of(engine)
            .remedy(
                "works, but a statement that fails halfway leaves rows, a ROLLBACK makes the \
                 mirror load again, and after a crash the table may differ from the binlog",
            )
            .sql(to_innodb)
            .severity(Severity::Warning),
        "MEMORY" => of(engine)
            .remedy(
                "works, but a restart of the server empties it, which the server logs only when \
                 somebody uses the table again; until then the mirror has the rows of before",
            )
            .sql(to_innodb)
            .severity(Severity::Warning),
        "BLACKHOLE" | "MRG_MYISAM" | "FEDERATED" | "CONNECT" | "SPIDER" | "S3" | "SEQUENCE"
        | "PERFORMANCE_SCHEMA" => of(engine)
            .remedy("its rows come and go without row events of this table; do not mirror it")
            .severity(Severity::Error),
        _ => of(engine)
            .remedy("mysql-mirror was never tried with this engine")
            .sql(to_innodb)
            .severity(Severity::Warning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_judged_by_what_they_log() {
        let table = TableRequirement {
            database: "d".into(),
            table: "t".into(),
            columns: Vec::new(),
        };
        let severity = |kind, engine| judge_engine(kind, engine, &table).severity;
        assert_eq!(severity("BASE TABLE", "InnoDB"), Severity::Ok);
        assert_eq!(severity("BASE TABLE", "Aria"), Severity::Warning);
        assert_eq!(severity("BASE TABLE", "MEMORY"), Severity::Warning);
        assert_eq!(severity("BASE TABLE", "MRG_MyISAM"), Severity::Error);
        assert_eq!(severity("SYSTEM VERSIONED", "InnoDB"), Severity::Error);
        assert_eq!(severity("VIEW", "none"), Severity::Error);
    }
}
