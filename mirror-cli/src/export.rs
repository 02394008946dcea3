//! `mirror export`: all rows as JSON lines, one file per table.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use generated::{Mirror, Tables};
use mirror_runtime::TableLayout;
use mirror_runtime::jsonl::write_row;
use mirror_runtime::store::{Schema, Snapshot};

use crate::checkpoint;
use crate::cli::ExportArguments;
use crate::exit::Failure;
use crate::progress::wait_with_progress;
use crate::stop::on_signal;
use crate::tail::options;

/// Runs the command.
pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let mut options = options(&arguments.server, &arguments.limits)?;
    options.checkpoint = arguments.checkpoint.options(None);
    let selected = options.selection(Tables::layouts())?;
    fs::create_dir_all(&arguments.out).map_err(|error| output(&arguments.out, error))?;
    let mirror = Arc::new(Mirror::start(options)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    wait_with_progress(&mirror, &stop)?;
    checkpoint::tell_start(&mirror);
    let subscription = mirror.subscribe();
    // Writes the checkpoint.
    mirror.stop();
    let position = subscription.version().position.clone();
    let tables = subscription.tables();
    let mut rows = 0;
    for (index, layout) in Tables::layouts().iter().enumerate() {
        if stop.is_set() {
            return Err(Failure::Interrupted);
        }
        if selected.get(index) == Some(&true) {
            rows += write_table(tables, index, layout, arguments)?;
        }
    }
    if let Some(position) = position {
        say!(
            "exported {rows} rows as of {position} to {}",
            arguments.out.display()
        );
    }
    checkpoint::tell_end(&mirror)
}

/// Writes one table to a temporary file and moves that to its name; gives the rows.
fn write_table(
    tables: &Snapshot<Tables>,
    index: usize,
    layout: &TableLayout,
    arguments: &ExportArguments,
) -> Result<u64, Failure> {
    let extension = if arguments.zstd { "jsonl.zst" } else { "jsonl" };
    let path = arguments
        .out
        .join(format!("{}.{extension}", file_stem(layout)));
    let failed = |error| output(&path, error);
    let file = tempfile::NamedTempFile::new_in(&arguments.out).map_err(failed)?;
    let mut rows = 0;
    let mut write_rows = |out: &mut dyn Write| -> std::io::Result<()> {
        let mut line = Vec::new();
        for row in tables.rows(index) {
            line.clear();
            write_row(&mut line, row, None);
            line.push(b'\n');
            out.write_all(&line)?;
            rows += 1;
        }
        Ok(())
    };
    let mut out = BufWriter::with_capacity(1 << 18, file);
    if arguments.zstd {
        let mut encoder = zstd::Encoder::new(&mut out, 3).map_err(failed)?;
        write_rows(&mut encoder).map_err(failed)?;
        encoder.finish().map_err(failed)?;
    } else {
        write_rows(&mut out).map_err(failed)?;
    }
    let file = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    // A temporary file is private to its owner; an export is an ordinary file.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(0o644))
            .map_err(failed)?;
    }
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(rows)
}

/// `<database>.<table>`, with %XX for bytes that a file name cannot hold.
fn file_stem(layout: &TableLayout) -> String {
    let mut stem = String::new();
    for c in layout.full_name().chars() {
        match c {
            '/' | '%' | '\0'..='\x1f' | '\x7f' => stem.push_str(&format!("%{:02X}", c as u32)),
            c => stem.push(c),
        }
    }
    stem
}

fn output(path: &Path, error: std::io::Error) -> Failure {
    Failure::Output {
        what: PathBuf::from(path).display().to_string(),
        error,
    }
}
