//! Tables: whether they are there and may be read, and whether row events tell all of them.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::finding::{Finding, FindingKind, Severity, TableRequirement};
use super::settings::{switch, value};
use crate::row::quote_identifier;
use crate::source::error::{Context, SourceError, from_mysql};
use crate::source::server_info::ServerInfo;
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

/// What is not as row events need it: the table's kind, its engine, its foreign keys.
pub(super) fn shape(
    conn: &mut Conn,
    info: &ServerInfo,
    table: &TableRequirement,
) -> Result<Vec<Finding>, SourceError> {
    let statement = format!("SHOW CREATE TABLE {}", table.place());
    let row: Option<mysql::Row> = conn
        .query_first(statement)
        .map_err(|error| from_mysql(error, &Context::query("reading a table's definition")))?;
    let definition: String = row
        .and_then(|row| row.get_opt(1).and_then(Result::ok))
        .unwrap_or_default();
    let mut findings = vec![kind_and_engine(conn, table)?];
    if let Some(action) = cascade(&definition) {
        findings.push(cascades(conn, info, table, action)?);
    }
    Ok(findings)
}

fn kind_and_engine(conn: &mut Conn, table: &TableRequirement) -> Result<Finding, SourceError> {
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

/// The first foreign key of a definition that changes rows of this table by itself: what SHOW
/// CREATE TABLE prints of it, names left out. (`information_schema` shows foreign keys only to
/// who may do more than SELECT.)
fn cascade(definition: &str) -> Option<&'static str> {
    const ACTIONS: [&str; 6] = [
        "ON DELETE CASCADE",
        "ON DELETE SET NULL",
        "ON DELETE SET DEFAULT",
        "ON UPDATE CASCADE",
        "ON UPDATE SET NULL",
        "ON UPDATE SET DEFAULT",
    ];
    let bare = without_quoted(definition);
    let (_, keys) = bare.split_once(" FOREIGN KEY ")?;
    ACTIONS.into_iter().find(|action| keys.contains(action))
}

/// SQL text without quoted names and strings.
fn without_quoted(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if !matches!(c, '`' | '\'' | '"') {
            bare.push(c);
            continue;
        }
        // A doubled quote ends one part and starts the next.
        while let Some(inner) = chars.next() {
            if inner == '\\' && c != '`' {
                chars.next();
            } else if inner == c {
                break;
            }
        }
    }
    bare
}

/// MySQL logs the child rows since 9.6, unless the engine is told to keep its own foreign keys
/// (`innodb_native_foreign_keys`); no other server does.
fn cascades(
    conn: &mut Conn,
    info: &ServerInfo,
    table: &TableRequirement,
    action: &str,
) -> Result<Finding, SourceError> {
    let logged = info.mysql_at_least(9, 6, 0)
        && value(conn, "innodb_native_foreign_keys")?.is_none_or(|on| switch(&on) == "OFF");
    let name = format!("foreign keys of {}", table.full_name());
    let found = match logged {
        true => format!("{action}, and the server logs the rows"),
        false => action.to_owned(),
    };
    Ok(
        Finding::new(FindingKind::Table, &name, &found, "RESTRICT or NO ACTION")
            .remedy(
                "the engine changes rows of this table with those of the other one, and does not \
                 log it; make the foreign key anew without it, and the changes by statements",
            )
            .unless(logged, Severity::Error),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cascades_are_seen_in_what_is_not_quoted() {
        let of = |text: &str| cascade(&format!("CREATE TABLE `t` (\n  `id` int,\n  {text}\n)"));
        let key = "CONSTRAINT `c` FOREIGN KEY (`p`) REFERENCES `p` (`id`)";
        assert_eq!(
            of(&format!("{key} ON DELETE CASCADE")),
            Some("ON DELETE CASCADE")
        );
        assert_eq!(
            of(&format!("{key} ON DELETE RESTRICT ON UPDATE SET NULL")),
            Some("ON UPDATE SET NULL")
        );
        assert_eq!(of(&format!("{key} ON DELETE RESTRICT")), None);
        assert_eq!(of(key), None);
        for quoted in [
            "KEY `a FOREIGN KEY b ON DELETE CASCADE` (`id`)",
            "`b` int COMMENT 'it''s \\' FOREIGN KEY  ON DELETE CASCADE'",
        ] {
            assert_eq!(of(quoted), None, "{quoted}");
        }
    }

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
