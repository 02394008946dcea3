//! Whether the account sees the definitions of views, triggers and routines.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::finding::{Finding, FindingKind, Severity};
use crate::source::error::{Context, SourceError, from_mysql};

/// Whether the account has the rights to see all definitions, as far as its grants tell; `None`
/// when these are not all shown (roles).
fn sees(conn: &mut Conn) -> Result<Option<bool>, SourceError> {
    let grants: Vec<String> = conn
        .query("SHOW GRANTS")
        .map_err(|error| from_mysql(error, &Context::query("reading the account's rights")))?;
    Ok(judge(&grants))
}

/// Whether the account has the rights to see all definitions; true when its grants cannot be
/// interpreted (roles).
pub(crate) fn sees_definitions(conn: &mut Conn) -> Result<bool, SourceError> {
    Ok(sees(conn)?.unwrap_or(true))
}

/// What is needed to know through what statements change tables that they do not name.
pub(super) fn finding(conn: &mut Conn, account: &str) -> Result<Finding, SourceError> {
    let sees = sees(conn)?;
    let found = match sees {
        Some(true) => "visible",
        Some(false) => "not all visible",
        None => "unclear (roles)",
    };
    let name = "definitions of views, triggers, functions";
    Ok(Finding::new(FindingKind::Right, name, found, "visible")
        .remedy(
            "works; but when a session writes in STATEMENT or MIXED format, a statement that \
             changes a mirrored table only through a view, a trigger or a stored function is \
             passed over",
        )
        .sql(format!("GRANT {NEEDED} ON *.* TO {account}"))
        .unless(sees != Some(false), Severity::Warning))
}

/// Triggers need TRIGGER, views SHOW VIEW and SELECT, routines SELECT (on MySQL before 8.0 and on
/// MariaDB that of `mysql.proc`).
const NEEDED: &str = "SELECT, SHOW VIEW, TRIGGER";

/// Lines of SHOW GRANTS: all of the rights on `*.*`, and none of them taken away for a database.
fn judge(grants: &[String]) -> Option<bool> {
    let mut missing = vec!["SELECT", "SHOW VIEW", "TRIGGER"];
    let mut has_roles = grants.is_empty();
    for grant in grants {
        let upper = grant.to_ascii_uppercase();
        let words = upper.split_once(' ');
        let Some((rights, place)) = words.and_then(|(_, rest)| rest.split_once(" ON ")) else {
            has_roles |= !upper.starts_with("SET ");
            continue;
        };
        let has = |right: &str| {
            rights
                .split(',')
                .any(|has| [right, "ALL", "ALL PRIVILEGES"].contains(&has.trim()))
        };
        if upper.starts_with("REVOKE ") && ["SELECT", "SHOW VIEW", "TRIGGER"].into_iter().any(has) {
            return Some(false);
        }
        if upper.starts_with("GRANT ") && place.starts_with("*.*") {
            missing.retain(|right| !has(right));
        }
    }
    match (missing.is_empty(), has_roles) {
        (true, _) => Some(true),
        (false, true) => None,
        (false, false) => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rights_are_needed_everywhere() {
        let judged = |grants: &[&str]| {
            let grants: Vec<String> = grants.iter().map(|&grant| grant.to_owned()).collect();
            judge(&grants)
        };
        let all = "GRANT SELECT, REPLICATION SLAVE, SHOW VIEW, TRIGGER ON *.* TO `m`@`%`";
        let root = "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION";
        assert_eq!(judged(&[all]), Some(true));
        assert_eq!(
            judged(&[root, "GRANT PROXY ON ''@'' TO `root`@`x`"]),
            Some(true)
        );
        assert_eq!(
            judged(&[
                "GRANT SHOW VIEW, TRIGGER ON *.* TO m",
                "GRANT SELECT ON *.* TO m"
            ]),
            Some(true)
        );
        for grants in [
            &["GRANT SELECT, TRIGGER, CREATE VIEW ON *.* TO m"][..],
            &[
                "GRANT USAGE ON *.* TO m",
                "GRANT ALL PRIVILEGES ON `ads`.* TO m",
            ],
            &[all, "REVOKE TRIGGER ON `ads`.* FROM `m`@`%`"],
        ] {
            assert_eq!(judged(grants), Some(false), "{grants:?}");
        }
        assert_eq!(
            judged(&["GRANT USAGE ON *.* TO m", "GRANT `r`@`%` TO m"]),
            None
        );
        assert_eq!(judged(&[]), None);
    }
}
