//! The server's version and its binlog settings.

use mysql::Conn;

use super::finding::{Finding, FindingKind, Severity};
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
    Finding {
        kind: FindingKind::Setting,
        name: format!("{} version", info.family.name()),
        found: info.version_text.clone(),
        needed: needed.to_owned(),
        remedy: "upgrade the server".to_owned(),
        severity: if info.version >= oldest {
            Severity::Ok
        } else {
            Severity::Error
        },
    }
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

const RULES: [Rule; 5] = [
    Rule {
        name: "log_bin",
        wanted: "ON",
        otherwise: Severity::Error,
        remedy: "start the server with log_bin",
    },
    Rule {
        name: "binlog_format",
        wanted: "ROW",
        otherwise: Severity::Error,
        remedy: "SET GLOBAL binlog_format = ROW, set it in the server's configuration, and reconnect writers",
    },
    Rule {
        name: "binlog_row_image",
        wanted: "FULL",
        otherwise: Severity::Warning,
        remedy: "works, but changes in the mirror's own copy are noticed later; SET GLOBAL binlog_row_image = FULL",
    },
    Rule {
        name: "binlog_row_metadata",
        wanted: "FULL",
        otherwise: Severity::Warning,
        remedy: "works, but two columns of one type that swap places are not noticed from the events alone; SET GLOBAL binlog_row_metadata = FULL",
    },
    Rule {
        name: "gtid_mode",
        wanted: "ON",
        otherwise: Severity::Warning,
        remedy: "works, but positions beyond 4 GiB cannot be resumed from; turn gtid_mode on",
    },
];

pub(super) fn binlog(conn: &mut Conn, info: &ServerInfo) -> Result<Vec<Finding>, SourceError> {
    let mut findings = Vec::new();
    for rule in &RULES {
        let Some(found) = value(conn, rule.name)? else {
            continue;
        };
        findings.push(judge(rule, &found));
    }
    // A server id of 0 refuses replicas.
    findings.push(Finding {
        kind: FindingKind::Setting,
        name: "server_id of the server".to_owned(),
        found: info.server_id.to_string(),
        needed: "not 0".to_owned(),
        remedy: "SET GLOBAL server_id = 1, and set it in the server's configuration".to_owned(),
        severity: if info.server_id == 0 {
            Severity::Error
        } else {
            Severity::Ok
        },
    });
    Ok(findings)
}

fn judge(rule: &Rule, found: &str) -> Finding {
    let found = match found {
        "1" => "ON",
        "0" => "OFF",
        other => other,
    };
    Finding {
        kind: FindingKind::Setting,
        name: rule.name.to_owned(),
        found: found.to_owned(),
        needed: rule.wanted.to_owned(),
        remedy: rule.remedy.to_owned(),
        severity: if found.eq_ignore_ascii_case(rule.wanted) {
            Severity::Ok
        } else {
            rule.otherwise
        },
    }
}

/// A global variable as text; `None` on a server that does not have it.
fn value(conn: &mut Conn, name: &str) -> Result<Option<String>, SourceError> {
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
        assert_eq!(outcome("gtid_mode", "OFF_PERMISSIVE").0, Severity::Warning);
    }
}
