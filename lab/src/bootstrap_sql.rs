//! The SQL that makes the system tables and the accounts of a new data directory.

use std::fs;

use crate::error::{Error, Result};
use crate::program::Program;

/// Account of `root` over TCP: with `skip-name-resolve`, 127.0.0.1 is not `localhost`.
pub(crate) const MYSQL: &str = "CREATE USER root@'127.0.0.1' IDENTIFIED BY '';
GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
GRANT PROXY ON ''@'' TO root@'127.0.0.1' WITH GRANT OPTION;
";

/// Parts of MariaDB's bootstrap SQL, in order, as `mariadb-install-db` feeds them to the server.
/// The help tables are left out.
const MARIADB_PARTS: [&str; 5] = [
    "system_tables",
    "performance_tables",
    "system_tables_data",
    "maria_add_gis_sp_bootstrap",
    "sys_schema",
];

/// What `mariadb-install-db` says first, with `root` authenticated by (no) password.
const MARIADB_BEGIN: &str = "CREATE DATABASE mysql;
USE mysql;
SET @auth_root_socket=NULL;
";

/// Parts of the bootstrap SQL of MySQL 5.6, in order, as `mysql_install_db` feeds them to the
/// server. The help tables are left out.
const OLD_MYSQL_PARTS: [&str; 2] = ["system_tables", "system_tables_data"];

/// The bootstrap SQL of MySQL 5.6: `root` of this machine, without a password, and nobody else.
pub(crate) fn old_mysql(program: &Program) -> Result<String> {
    let mut text = "USE mysql;\n".to_owned();
    for part in OLD_MYSQL_PARTS {
        let sql = part_sql(program, part)?.ok_or_else(|| no_part(program, part))?;
        text.push_str(&sql);
    }
    text.push_str("DELETE FROM user WHERE User='';\nDELETE FROM db;\n");
    Ok(text)
}

/// MariaDB's bootstrap SQL.
pub(crate) fn mariadb(program: &Program) -> Result<String> {
    let mut text = MARIADB_BEGIN.to_owned();
    for part in MARIADB_PARTS {
        match part_sql(program, part)? {
            Some(sql) => text.push_str(&sql),
            // The sys schema came with 10.6; without the others there is no server to speak of.
            None if part == "sys_schema" => {}
            None => return Err(no_part(program, part)),
        }
    }
    Ok(text)
}

/// One file of the SQL that the server ships; `None` if there is none of this name.
fn part_sql(program: &Program, part: &str) -> Result<Option<String>> {
    let share = program.share().ok_or_else(|| {
        let what = "there is no share/mysql, share/mariadb or share folder near it";
        missing(program, what.to_owned())
    })?;
    let names = ["", "mysql_", "mariadb_"].map(|prefix| share.join(format!("{prefix}{part}.sql")));
    let Some(file) = names.iter().find(|file| file.is_file()) else {
        return Ok(None);
    };
    let sql =
        fs::read_to_string(file).map_err(Error::io(format!("cannot read {}", file.display())))?;
    // Accounts for this machine's host name, which nobody uses here.
    let kept = sql
        .lines()
        .filter(|line| !line.contains("@current_hostname"));
    Ok(Some(kept.map(|line| format!("{line}\n")).collect()))
}

fn no_part(program: &Program, part: &str) -> Error {
    missing(
        program,
        format!("there is no {part}.sql in its share folder"),
    )
}

fn missing(program: &Program, what: String) -> Error {
    Error::Initialise {
        program: program.file().display().to_string(),
        log: what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flavor::Flavor;

    #[test]
    fn program_without_its_files_is_named() {
        let program = Program::for_test(Flavor::Mysql, "5.6.24");
        let message = old_mysql(&program).unwrap_err().to_string();
        assert!(message.contains("/nonexistent"), "{message}");
        assert!(message.contains("share"), "{message}");
    }
}
