//! Data directories with the system tables only: made once per server version, then copied.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bootstrap_sql;
use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::home::{self, Home};
use crate::options::{LOWER_CASE, ServerOptions};
use crate::program::{Program, option};
use crate::report::{human_seconds, tail};

/// Makes `dir/data`, a data directory of its own for a new instance, from the template.
pub(crate) fn copy_to(
    dir: &Path,
    home: &Home,
    program: &Program,
    options: &ServerOptions,
) -> Result<()> {
    let template = prepare(home, program, options)?;
    let what = || format!("cannot copy the data directory to {}", dir.display());
    let new = dir.join("data.new");
    home::remove_folder(&new)?;
    fs::create_dir_all(dir.join("tmp")).map_err(Error::io(what()))?;
    copy_folder(&template.join("data"), &new).map_err(Error::io(what()))?;
    fs::rename(&new, dir.join("data")).map_err(Error::io(what()))
}

/// The folder of this program's template, made if need be.
fn prepare(home: &Home, program: &Program, options: &ServerOptions) -> Result<PathBuf> {
    let reporter = options.report();
    let folder = home.flavor(program.flavor());
    let kind = if options.has_lower_case_names() {
        "-lower-case"
    } else {
        ""
    };
    let name = format!("template-{}{kind}", file_name(program.version()));
    let template = folder.join(name);
    if template.is_dir() {
        return Ok(template);
    }
    let _lock = home.lock(program.flavor().name())?;
    if template.is_dir() {
        return Ok(template);
    }
    let begin = Instant::now();
    reporter.say(&format!("{}: making the system tables", program.flavor()));
    let partial = folder.join("template.partial");
    home::remove_folder(&partial)?;
    fs::create_dir_all(partial.join("tmp"))
        .map_err(Error::io(format!("cannot make {}", partial.display())))?;
    initialise(program, &partial, options.has_lower_case_names())?;
    fs::rename(&partial, &template)
        .map_err(Error::io(format!("cannot name {}", template.display())))?;
    let time = human_seconds(begin.elapsed());
    reporter.say(&format!(
        "{}: system tables made in {time}",
        program.flavor()
    ));
    Ok(template)
}

fn initialise(program: &Program, dir: &Path, lower_case: bool) -> Result<()> {
    let io = || Error::io(format!("cannot initialise {}", dir.display()));
    let data = dir.join("data");
    fs::create_dir(&data).map_err(io())?;
    let mut command = program.command();
    let bootstrap = |command: &mut Command, text: String| {
        let sql = dir.join("bootstrap.sql");
        fs::write(&sql, text).map_err(io())?;
        command
            .arg("--bootstrap")
            .stdin(File::open(&sql).map_err(io())?);
        Ok(())
    };
    command
        .arg(option("datadir", &data))
        .arg(option("tmpdir", &dir.join("tmp")))
        .args([
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=0",
            "--skip-log-bin",
        ])
        .args(lower_case.then_some(LOWER_CASE));
    match program.flavor() {
        Flavor::Mysql if program.is_old_mysql() => {
            fs::create_dir(data.join("mysql")).map_err(io())?;
            bootstrap(&mut command, bootstrap_sql::old_mysql(program)?)?;
            command.args([
                "--log-warnings=0",
                "--explicit-defaults-for-timestamp",
                "--innodb-log-file-size=8M",
            ]);
        }
        Flavor::Mysql => {
            let sql = dir.join("init.sql");
            fs::write(&sql, bootstrap_sql::MYSQL).map_err(io())?;
            command.arg(option("init-file", &sql)).args([
                "--initialize-insecure",
                "--loose-mysqlx=OFF",
                "--secure-file-priv=",
                "--loose-innodb-redo-log-capacity=32M",
            ]);
        }
        Flavor::Mariadb => {
            bootstrap(&mut command, bootstrap_sql::mariadb(program)?)?;
            command.args([
                "--silent-startup",
                "--log-warnings=0",
                "--max-allowed-packet=8M",
                "--net-buffer-length=16K",
                "--enforce-storage-engine=",
                "--innodb-log-file-size=8M",
            ]);
        }
    }
    run_logged(command, program, &dir.join("init.log"))?;
    // Each copy gets a server UUID of its own; a bootstrap makes none.
    home::remove_file(&data.join("auto.cnf"))
}

fn run_logged(mut command: Command, program: &Program, log: &Path) -> Result<()> {
    let io = || Error::io(format!("cannot run {}", program.file().display()));
    let output = File::create(log).map_err(io())?;
    let status = command
        .stdout(Stdio::from(output.try_clone().map_err(io())?))
        .stderr(output)
        .status()
        .map_err(io())?;
    if status.success() {
        return Ok(());
    }
    let text = fs::read(log).unwrap_or_default();
    Err(Error::Initialise {
        program: program.file().display().to_string(),
        log: tail(&String::from_utf8_lossy(&text), 20),
    })
}

/// The version as a file name.
fn file_name(version: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "+-.".contains(c) {
            c
        } else {
            '_'
        }
    };
    version.chars().map(safe).collect()
}

/// Copies files and folders; on Linux the file system shares the blocks if it can.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_becomes_a_file_name() {
        assert_eq!(
            file_name("10.11.18-MariaDB-0+deb12u1"),
            "10.11.18-MariaDB-0+deb12u1"
        );
        assert_eq!(file_name("8.0/x y"), "8.0_x_y");
    }

    #[test]
    fn copied_folder_has_the_same_files_below() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/file"), "content").unwrap();
        let to = dir.path().join("to");
        copy_folder(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a/b/file")).unwrap(), "content");
        assert!(
            copy_folder(&from, &to).is_err(),
            "a copy never mixes with an older one"
        );
    }
}
