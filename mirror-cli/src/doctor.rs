//! `mirror doctor`: every setting, right and table that matters, with its remedy.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use generated::Tables;
use mirror_runtime::source::{Finding, FindingKind, Severity};
use mirror_runtime::store::Schema;
use mirror_runtime::{Diagnosis, ServerUrl, diagnose};
use serde_json::{Value, json};

use crate::cli::DoctorArguments;
use crate::exit::Failure;
use crate::limits::LimitArguments;
use crate::tail::options;

/// Something stands in the way of a mirror.
const UNFIT: u8 = 1;
/// The server could not be looked at.
const NOT_DONE: u8 = 2;
/// Width of the text behind a label, in characters: lines of at most 80.
const TEXT_WIDTH: usize = 70;

/// Runs the command; its exit code says what came out of it.
pub(crate) fn run(arguments: &DoctorArguments) -> ExitCode {
    match examine(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say!("mirror: {error}");
            ExitCode::from(NOT_DONE)
        }
    }
}

/// Prints the diagnosis of each server of the URL, since each may have to serve; the exit code.
fn examine(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let options = options(&arguments.server, &LimitArguments::default())?;
    let selected = options.selection(Tables::layouts())?;
    let servers = options.url.servers();
    let mut code = 0;
    let mut objects = Vec::new();
    for (number, url) in servers.iter().enumerate() {
        let diagnosis = match diagnose::<Tables>(url, &selected) {
            Ok(diagnosis) => diagnosis,
            Err(error) if servers.len() > 1 => {
                say!("mirror: {error}");
                code = code.max(NOT_DONE);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if !diagnosis.ok() {
            code = code.max(UNFIT);
        }
        if arguments.json {
            objects.push(as_json(&diagnosis, url));
            continue;
        }
        let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let gap = if number > 0 { "\n" } else { "" };
        print(&format!("{gap}{}", as_text(&diagnosis, url, colours)))?;
    }
    if arguments.json {
        match servers.len() {
            1 => objects
                .iter()
                .try_for_each(|object| print(&format!("{object:#}\n")))?,
            _ => print(&format!("{:#}\n", Value::Array(objects)))?,
        }
    }
    Ok(code)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Output {
            what: "standard output".into(),
            error,
        })
}

fn as_json(diagnosis: &Diagnosis, url: &ServerUrl) -> Value {
    let findings: Vec<Value> = diagnosis.findings.iter().map(finding_json).collect();
    json!({
        "ok": diagnosis.ok(),
        "server": server(diagnosis),
        "address": url.address(),
        "account": diagnosis.account,
        "findings": findings,
        "grants": diagnosis.grants,
    })
}

fn finding_json(finding: &Finding) -> Value {
    let kind = match finding.kind {
        FindingKind::Setting => "setting",
        FindingKind::Right => "right",
        FindingKind::Table => "table",
        FindingKind::ServerId => "server id",
    };
    let wrong = !finding.ok();
    json!({
        "kind": kind,
        "name": finding.name,
        "severity": word(finding.severity),
        "found": finding.found,
        "needed": finding.needed,
        "remedy": wrong.then_some(&finding.remedy),
        "sql": if wrong { finding.sql.as_slice() } else { &[] },
        "config": if wrong { finding.config.as_slice() } else { &[] },
    })
}

fn server(diagnosis: &Diagnosis) -> String {
    let server = &diagnosis.server;
    format!("{} {}", server.family.name(), server.version_text)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Ok => "ok",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The table of all findings, a block for each that is not ok, and the rights.
fn as_text(diagnosis: &Diagnosis, url: &ServerUrl, colours: bool) -> String {
    let mut text = format!(
        "{} at {}, as {}\n\n",
        server(diagnosis),
        url.address(),
        diagnosis.account
    );
    let names = diagnosis.findings.iter().map(|f| f.name.chars().count());
    let width = names.max().unwrap_or_default();
    for finding in &diagnosis.findings {
        let label = coloured(finding.severity, 8, colours);
        add(
            &mut text,
            format_args!("{label} {:width$}  {}\n", finding.name, finding.found),
        );
    }
    for finding in diagnosis.findings.iter().filter(|finding| !finding.ok()) {
        add_block(&mut text, finding, colours);
    }
    text.push_str("\nThe least rights that a mirror of these tables needs:\n");
    for grant in &diagnosis.grants {
        add(&mut text, format_args!("  {grant};\n"));
    }
    add(
        &mut text,
        format_args!(
            "\n{} ok, {} to be warned of, {} in the way\n",
            diagnosis.count(Severity::Ok),
            diagnosis.count(Severity::Warning),
            diagnosis.count(Severity::Error)
        ),
    );
    text
}

fn add_block(text: &mut String, finding: &Finding, colours: bool) {
    let label = coloured(finding.severity, 0, colours);
    add(text, format_args!("\n{label}: {}\n", finding.name));
    let mut line = |label: &str, value: &str| {
        for (number, part) in wrapped(value).iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            add(text, format_args!("  {label:7} {part}\n"));
        }
    };
    line("found", &finding.found);
    line("needed", &finding.needed);
    line("remedy", &finding.remedy);
    for statement in &finding.sql {
        add(text, format_args!("  SQL     {statement};\n"));
    }
    for setting in &finding.config {
        add(text, format_args!("  my.cnf  {setting}\n"));
    }
}

/// The word for a severity, padded to a width; colours do not count for that.
fn coloured(severity: Severity, width: usize, colours: bool) -> String {
    let word = word(severity);
    if !colours {
        return format!("{word:width$}");
    }
    let colour = match severity {
        Severity::Ok => 32,
        Severity::Warning => 33,
        Severity::Error => 31,
    };
    format!("\x1b[{colour}m{word:width$}\x1b[0m")
}

/// Text in lines that are not too long for a terminal, unless a word is.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= TEXT_WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Adds to a text, which cannot fail.
fn add(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_remedies_are_wrapped_between_words() {
        let text = "word ".repeat(60);
        let lines = wrapped(&text);
        assert!(lines.len() > 2 && lines.iter().all(|line| line.len() <= TEXT_WIDTH));
        assert_eq!(lines.join(" "), text.trim());
        assert!(wrapped("").is_empty());
    }

    #[test]
    fn colours_only_where_they_are_asked_for() {
        assert_eq!(coloured(Severity::Error, 8, false), "error   ");
        assert_eq!(
            coloured(Severity::Error, 8, true),
            "\x1b[31merror   \x1b[0m"
        );
    }
}
