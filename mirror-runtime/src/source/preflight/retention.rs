//! How long the server keeps its binlogs.

use mysql::Conn;

use super::finding::{Finding, Severity};
use super::settings::{switch, value};
use crate::source::error::SourceError;

/// A load and a broken connection have to be over within that.
const DAY_SECONDS: u64 = 86_400;

pub(super) fn findings(conn: &mut Conn) -> Result<Vec<Finding>, SourceError> {
    let mut findings = Vec::new();
    findings.extend(by_age(conn)?);
    // MariaDB 11.4 has both names, Percona Server the second.
    for name in ["max_binlog_total_size", "binlog_space_limit"] {
        if let Some(found) = value(conn, name)? {
            findings.push(by_size(name, &found));
            break;
        }
    }
    Ok(findings)
}

/// Seconds (MySQL 8.0, MariaDB 10.6) or days until a binlog may be removed.
fn by_age(conn: &mut Conn) -> Result<Option<Finding>, SourceError> {
    if value(conn, "binlog_expire_logs_auto_purge")?.is_some_and(|on| switch(&on) == "OFF") {
        return Ok(None);
    }
    let seconds = value(conn, "binlog_expire_logs_seconds")?;
    let days = value(conn, "expire_logs_days")?;
    Ok(match (seconds, days) {
        // MySQL 8.0 has both, of which one is 0.
        (Some(seconds), Some(days)) if seconds == "0" && days.parse() != Ok(0.0) => {
            Some(judge_age("expire_logs_days", &days, DAY_SECONDS))
        }
        (Some(seconds), _) => Some(judge_age("binlog_expire_logs_seconds", &seconds, 1)),
        (None, days) => days.map(|days| judge_age("expire_logs_days", &days, DAY_SECONDS)),
    })
}

fn judge_age(name: &str, found: &str, unit_seconds: u64) -> Finding {
    let number: f64 = found.parse().unwrap_or(0.0);
    let seconds = number * unit_seconds as f64;
    let enough = seconds == 0.0 || seconds >= DAY_SECONDS as f64;
    let week = 7 * DAY_SECONDS / unit_seconds;
    Finding::setting(
        name,
        found,
        &format!("0, or at least {}", DAY_SECONDS / unit_seconds),
    )
    .remedy(
        "works, but a mirror whose load takes longer, or that is cut off for longer, has to load \
         all tables again; keep binlogs longer",
    )
    .sql(format!("SET GLOBAL {name} = {week}"))
    .config(format!("{name} = {week}"))
    .unless(enough, Severity::Warning)
}

fn by_size(name: &str, found: &str) -> Finding {
    Finding::setting(name, found, "0")
        .remedy(
            "works, but binlogs are removed by their size, however new they are; a mirror that \
             is cut off while that much is written has to load all tables again",
        )
        .sql(format!("SET GLOBAL {name} = 0"))
        .config(format!("{name} = 0"))
        .unless(found == "0", Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_enough_and_never_too() {
        for (found, unit, severity) in [
            ("0", 1, Severity::Ok),
            ("86400", 1, Severity::Ok),
            ("86399", 1, Severity::Warning),
            ("0.041667", DAY_SECONDS, Severity::Warning),
            ("0.000000", DAY_SECONDS, Severity::Ok),
            ("1", DAY_SECONDS, Severity::Ok),
        ] {
            assert_eq!(judge_age("x", found, unit).severity, severity, "{found}");
        }
        let finding = judge_age("expire_logs_days", "0.5", DAY_SECONDS);
        assert_eq!(finding.sql, ["SET GLOBAL expire_logs_days = 7"]);
    }
}
