//! Every setting, right and table that matters to a mirror: found, needed, remedy.
//!
//! The checks are those of the start of a mirror and more of their kind, all at once; nothing
//! is changed on the server, and no row is read. [`crate::source::preflight`] fails with those
//! that a mirror cannot do with.

use std::net::IpAddr;

use mysql::Conn;

use crate::bootstrap::{has_full_metadata, requirements};
use crate::error::{Error, TableError};
use crate::foreign_key_check::{check_table, logs_cascades};
use crate::layout::TableLayout;
use crate::layout_check::check_layout;
use crate::source::{
    Finding, FindingKind, Requirements, ServerInfo, ServerUrl, Severity, SourceErrorKind,
    TableRequirement, connect, derive_server_id, least_rights, preflight_report, status,
};
use crate::store::Schema;

/// What was found on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Family, version and identity of the server.
    pub server: ServerInfo,
    /// The account that was logged in, quoted as GRANT takes it.
    pub account: String,
    /// Every check and its outcome, settings first, then rights, then tables.
    pub findings: Vec<Finding>,
    /// The statements, without semicolons, that grant the account the least rights that a mirror
    /// of these tables needs; whether it has them or not.
    pub grants: Vec<String>,
}

impl Diagnosis {
    /// Whether nothing stands in the way of a mirror.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// How many findings are this bad.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let is = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(is).count()
    }
}

/// Looks at the server as a mirror of the selected tables of `S` would need it.
///
/// `selected` is by table index, as [`Options::selection`](crate::Options::selection) gives it.
///
/// # Errors
/// When the server cannot be reached, does not let the account in, or cannot be asked. What it
/// answers is never an error.
///
/// # Examples
/// ```no_run
/// # fn of<S: mirror_runtime::Schema>() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "mysql://user:password@host/".parse()?;
/// let diagnosis = mirror_runtime::diagnose::<S>(&url, &vec![true; S::layouts().len()])?;
/// for finding in diagnosis.findings.iter().filter(|finding| !finding.ok()) {
///     println!("{finding}");
/// }
/// # Ok(())
/// # }
/// ```
pub fn diagnose<S: Schema>(url: &ServerUrl, selected: &[bool]) -> Result<Diagnosis, Error> {
    let mut conn = connect(url)?;
    let server = ServerInfo::read(&mut conn)?;
    let layouts = S::layouts();
    let tables = requirements(layouts, selected);
    let (account, grants) = least_rights(&mut conn, &server, &tables)?;
    let report = preflight_report(
        &mut conn,
        &server,
        &Requirements {
            tables,
            server_id: Some(derive_server_id(url)),
            binlog: true,
            thorough: true,
        },
    )?;
    let mut findings = vec![encryption(&mut conn, url)?];
    findings.extend(report.findings);
    let by_name = has_full_metadata(&mut conn)?;
    for (layout, _) in layouts.iter().zip(selected).filter(|(_, on)| **on) {
        add_layout(&mut conn, layout, by_name, &mut findings)?;
    }
    if !logs_cascades(&mut conn, &server)? {
        for (layout, _) in layouts.iter().zip(selected).filter(|(_, on)| **on) {
            let checked = check_table(&mut conn, layout, layouts, selected);
            findings.extend(foreign_keys(layout, checked)?);
        }
    }
    findings.sort_by_key(|finding| match finding.kind {
        FindingKind::Setting | FindingKind::ServerId => 0,
        FindingKind::Right => 1,
        FindingKind::Table => 2,
    });
    Ok(Diagnosis {
        server,
        account,
        findings,
        grants,
    })
}

/// The compiled layout against the server's columns, unless these cannot be seen. What trying to
/// read the columns has found is said better by the comparison.
fn add_layout(
    conn: &mut Conn,
    layout: &TableLayout,
    by_name: bool,
    findings: &mut Vec<Finding>,
) -> Result<(), Error> {
    let table = TableRequirement {
        database: layout.database.to_owned(),
        table: layout.table.to_owned(),
        columns: Vec::new(),
    };
    let tried = format!("SELECT on {}", table.full_name());
    let is_bad = |finding: &Finding| finding.name == tried && !finding.ok();
    if let Some(at) = findings.iter().position(is_bad) {
        let stays = findings.get(at).is_some_and(|finding| {
            finding.kind == FindingKind::Right || finding.found == crate::source::NO_TABLE
        });
        if stays {
            return Ok(());
        }
        findings.remove(at);
    }
    let name = format!("columns of {}", table.full_name());
    let finding =
        |found: &str, needed: &str| Finding::new(FindingKind::Table, &name, found, needed);
    findings.push(match check_layout(conn, layout, by_name) {
        Ok(()) => finding("as compiled in", "as compiled in"),
        Err(Error::Table(TableError::Layout {
            column,
            expected,
            found,
            ..
        })) => {
            let of = column.map_or_else(String::new, |column| format!("{column}: "));
            finding(&format!("{of}{found}"), &format!("{of}{expected}"))
                .remedy("run `cargo xtask regenerate` and build again")
                .severity(Severity::Error)
        }
        Err(error) => return Err(error),
    });
    Ok(())
}

/// The compiled foreign keys against the server's, on one that does not log what they do; what
/// hinders reading the definition is a finding already.
fn foreign_keys(
    layout: &TableLayout,
    checked: Result<(), Error>,
) -> Result<Option<Finding>, Error> {
    let name = format!("foreign keys of {}", layout.full_name());
    let finding =
        |found: &str, needed: &str| Finding::new(FindingKind::Table, &name, found, needed);
    Ok(match checked {
        Ok(()) => Some(finding("as compiled in", "as compiled in")),
        Err(Error::Table(TableError::Layout {
            expected, found, ..
        })) => Some(
            finding(&found, &expected)
                .remedy("run `cargo xtask regenerate` and build again")
                .severity(Severity::Error),
        ),
        Err(Error::Table(TableError::ParentNotSelected {
            constraint, parent, ..
        })) => Some(
            finding(
                &format!("foreign key `{constraint}`, which changes rows of this table"),
                &format!("{parent} selected too"),
            )
            .remedy("select that table too")
            .severity(Severity::Error),
        ),
        Err(Error::Source(error))
            if matches!(
                error.kind(),
                SourceErrorKind::MissingRight | SourceErrorKind::Unknown
            ) =>
        {
            None
        }
        Err(error) => return Err(error),
    })
}

/// Passwords and rows should not cross a network as they are.
fn encryption(conn: &mut Conn, url: &ServerUrl) -> Result<Finding, Error> {
    let answer: Option<(String, String)> = status::first(
        conn,
        "SHOW SESSION STATUS LIKE 'Ssl_cipher'",
        "asking whether the connection is encrypted",
    )?;
    let cipher = answer.map(|(_, cipher)| cipher).unwrap_or_default();
    let host = url.host();
    let local = url.socket().is_some()
        || host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    let found = match (cipher.as_str(), local) {
        ("", true) => "none, on one machine",
        ("", false) => "none",
        (cipher, _) => cipher,
    };
    Ok(
        Finding::setting("TLS of the connection", found, "a cipher, or one machine")
            .remedy(
                "works, but rows cross the network unencrypted; give the server a certificate \
                 (ssl_cert, ssl_key), and the URL ?ssl-mode=required or verify-identity",
            )
            .unless(local || !cipher.is_empty(), Severity::Warning),
    )
}
