//! The server's version and its binlog settings.

use mysql::Conn;

use super::finding::{Finding, Severity};
use crate::source::error::SourceError;
use crate::source::server_info::{Family, ServerInfo};
use crate::source::status::first;

/// Oldest versions whose events are all known.
const OLDEST_MYSQL: (u16, u16, u16) = (5, 6, 0);
const OLDEST_MARIADB: (u16, u16, u16) = (10, 0, 0);

pub(super) fn version(info: &ServerInfo) -> Finding {
    let (oldest, needed) = match info.family {
        Family::MySql => (OLDEST_MYSQL, "5.6 or later"),
        Family::MariaDb => (OLDEST_MARIADB, "10.0 or later"),
    };
    let name = format!("{} version", info.family.name());
    Finding::setting(&name, &info.version_text, needed)
        .remedy("upgrade the server")
        .unless(info.version >= oldest, Severity::Error)
}

/// How one setting is judged.
struct Rule {
    name: &'static str,
    /// The value that needs no word.
    wanted: &'static str,
    /// How bad any other value is.
    otherwise: Severity,
    remedy: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        name: "log_bin",
        wanted: "ON",
        otherwise: Severity::Error,
        remedy: "start the server with log_bin (and without skip_log_bin or disable_log_bin)",
    },
    Rule {
        name: "binlog_format",
        wanted: "ROW",
        otherwise: Severity::Error,
        remedy: "set it, in the server's configuration too, and reconnect writers",
    },
    Rule {
        name: "binlog_row_image",
        wanted: "FULL",
        otherwise: Severity::Warning,
        remedy: "works, but changes in the mirror's own copy are noticed later",
    },
    Rule {
        name: "binlog_row_metadata",
        wanted: "FULL",
        otherwise: Severity::Warning,
        remedy: "works, but two columns of one type that swap places are not noticed from the events alone",
    },
];

/// What costs something only when something else goes wrong.
const COSTS: [Rule; 5] = [
    Rule {
        name: "binlog_checksum",
        wanted: "CRC32",
        otherwise: Severity::Warning,
        remedy: "works, but bytes that are damaged on the way are not noticed",
    },
    Rule {
        name: "sync_binlog",
        wanted: "1",
        otherwise: Severity::Warning,
        remedy: "works, but a crash of the server's machine may lose the last transactions, which the mirror has shown by then",
    },
    Rule {
        name: "innodb_flush_log_at_trx_commit",
        wanted: "1",
        otherwise: Severity::Warning,
        remedy: "works, but a crash may lose the last transactions, which the mirror has shown by then",
    },
    Rule {
        name: "binlog_error_action",
        wanted: "ABORT_SERVER",
        otherwise: Severity::Warning,
        remedy: "works, but when the server cannot write its binlog it goes on without it, and the mirror hears of no change any more",
    },
    Rule {
        name: "binlog_order_commits",
        wanted: "ON",
        otherwise: Severity::Warning,
        remedy: "works, but the server may show transactions in another order than its binlog, and so than the mirror",
    },
];

/// What has to be so for the binlog to be followed, and what makes following it safer.
pub(super) fn binlog(conn: &mut Conn, info: &ServerInfo) -> Result<Vec<Finding>, SourceError> {
    let mut findings = judge_all(conn, &RULES)?;
    if let Some(mode) = value(conn, "gtid_mode")? {
        findings.push(gtid_mode(&mode, info));
    }
    // A server id of 0 refuses replicas.
    findings.push(
        Finding::setting(
            "server_id of the server",
            &info.server_id.to_string(),
            "not 0",
        )
        .remedy("set it, in the server's configuration too")
        .sql("SET GLOBAL server_id = 1")
        .config("server_id = 1")
        .unless(info.server_id != 0, Severity::Error),
    );
    Ok(findings)
}

/// What costs something only when something else goes wrong.
pub(super) fn costs(conn: &mut Conn, info: &ServerInfo) -> Result<Vec<Finding>, SourceError> {
    let mut findings = judge_all(conn, &COSTS)?;
    for name in ["binlog_transaction_compression", "log_bin_compress"] {
        if let Some(found) = value(conn, name)? {
            findings.push(Finding::setting(name, switch(&found), "ON or OFF"));
        }
    }
    let image = value(conn, "binlog_row_image")?.unwrap_or_else(|| "FULL".to_owned());
    let full = image.eq_ignore_ascii_case("FULL");
    if let Some(options) = value(conn, "binlog_row_value_options")? {
        findings.push(value_options(&options, full));
    }
    if info.is_mariadb()
        && let Some(found) = value(conn, "binlog_annotate_row_events")?
    {
        findings.push(annotations(switch(&found), full));
    }
    Ok(findings)
}

fn judge_all(conn: &mut Conn, rules: &[Rule]) -> Result<Vec<Finding>, SourceError> {
    let mut findings = Vec::new();
    for rule in rules {
        if let Some(found) = value(conn, rule.name)? {
            findings.push(judge(rule, &found));
        }
    }
    Ok(findings)
}

fn judge(rule: &Rule, found: &str) -> Finding {
    let Rule { name, wanted, .. } = rule;
    let found = match *wanted {
        "ON" => switch(found),
        _ => found,
    };
    let finding = Finding::setting(name, found, wanted)
        .remedy(rule.remedy)
        .unless(found.eq_ignore_ascii_case(wanted), rule.otherwise);
    match *name {
        "log_bin" => finding.config("log_bin = binlog"),
        _ => finding
            .sql(format!("SET GLOBAL {name} = {wanted}"))
            .config(format!("{name} = {wanted}")),
    }
}

/// The value of a switch by its name; the servers give some as numbers and some as names.
pub(super) fn switch(found: &str) -> &str {
    match found {
        "1" => "ON",
        "0" => "OFF",
        other => other,
    }
}

/// GTIDs of MySQL; they can be turned on while the server runs since 5.7.6 (MySQL manual,
/// "Enabling GTID Transactions Online").
fn gtid_mode(found: &str, info: &ServerInfo) -> Finding {
    let finding = Finding::setting("gtid_mode", found, "ON")
        .remedy("works, but positions beyond 4 GiB cannot be resumed from; turn gtid_mode on")
        .config("gtid_mode = ON")
        .config("enforce_gtid_consistency = ON")
        .unless(found.eq_ignore_ascii_case("ON"), Severity::Warning);
    if !info.mysql_at_least(5, 7, 6) {
        return finding.config("log_slave_updates = ON");
    }
    let steps = ["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"];
    let at = steps
        .iter()
        .position(|step| found.eq_ignore_ascii_case(step));
    let finding = finding.sql("SET GLOBAL enforce_gtid_consistency = ON");
    let left = steps.iter().skip(at.map_or(1, |at| at + 1));
    left.fold(finding, |finding, step| {
        finding.sql(format!("SET GLOBAL gtid_mode = {step}"))
    })
}

/// Differences of JSON documents: without full images they are applied to what the mirror has.
fn value_options(found: &str, full_images: bool) -> Finding {
    let found = if found.is_empty() { "none" } else { found };
    Finding::setting(
        "binlog_row_value_options",
        found,
        "none, or full row images",
    )
    .remedy(
        "works, but a load during such changes may have to be made again; log whole documents, or \
         all columns",
    )
    .sql("SET GLOBAL binlog_row_value_options = ''")
    .config("binlog_row_value_options =")
    .unless(found == "none" || full_images, Severity::Warning)
}

/// The texts of statements tell what columns have that an update of MariaDB lacks.
fn annotations(found: &str, full_images: bool) -> Finding {
    Finding::setting(
        "binlog_annotate_row_events",
        found,
        "ON, or full row images",
    )
    .remedy(
        "works, but each update that lacks columns makes the mirror load all tables again; set \
         it, and reconnect writers",
    )
    .sql("SET GLOBAL binlog_annotate_row_events = ON")
    .config("binlog_annotate_row_events = ON")
    .unless(found == "ON" || full_images, Severity::Warning)
}

/// A global variable as text; `None` on a server that does not have it.
pub(super) fn value(conn: &mut Conn, name: &str) -> Result<Option<String>, SourceError> {
    const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
    let statement = format!("SELECT CAST(@@global.{name} AS CHAR)");
    match first::<Option<String>>(conn, &statement, "reading server settings") {
        Err(SourceError::Server { code, .. }) if code == UNKNOWN_SYSTEM_VARIABLE => Ok(None),
        other => other.map(Option::flatten),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(name: &str, found: &str) -> (Severity, String) {
        let rule = RULES.iter().find(|rule| rule.name == name).unwrap();
        let finding = judge(rule, found);
        (finding.severity, finding.found)
    }

    #[test]
    fn settings_are_judged_by_what_they_cost() {
        assert_eq!(outcome("log_bin", "1"), (Severity::Ok, "ON".into()));
        assert_eq!(outcome("log_bin", "0"), (Severity::Error, "OFF".into()));
        assert_eq!(outcome("binlog_format", "row").0, Severity::Ok);
        assert_eq!(outcome("binlog_format", "MIXED").0, Severity::Error);
        assert_eq!(outcome("binlog_format", "STATEMENT").0, Severity::Error);
        assert_eq!(outcome("binlog_row_image", "MINIMAL").0, Severity::Warning);
    }

    #[test]
    fn gtids_are_turned_on_step_by_step_from_where_the_server_stands() {
        let info = |version| ServerInfo {
            family: Family::MySql,
            version,
            version_text: String::new(),
            version_comment: String::new(),
            server_uuid: None,
            server_id: 1,
            host: String::new(),
            lower_case_table_names: 0,
        };
        let finding = gtid_mode("OFF_PERMISSIVE", &info((8, 0, 36)));
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(
            finding.sql,
            [
                "SET GLOBAL enforce_gtid_consistency = ON",
                "SET GLOBAL gtid_mode = ON_PERMISSIVE",
                "SET GLOBAL gtid_mode = ON",
            ]
        );
        assert!(gtid_mode("OFF", &info((5, 6, 24))).sql.is_empty());
        assert!(gtid_mode("ON", &info((5, 6, 24))).ok());
    }
}
