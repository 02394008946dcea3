//! What a stream of binlog events has in it, and what is told of it.

use std::collections::{BTreeMap, BTreeSet};

use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, LiveSource, RawEvent, StreamOptions, StreamStart};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{BinlogPosition, Error, Schema};
use test_mirror::Tables;

use crate::World;

/// What a stream had in it.
#[derive(Debug, Default)]
pub struct Seen {
    /// How often each type code came.
    pub codes: BTreeMap<u8, usize>,
    /// What the reader told, in order: `rows TABLE`, `truncate TABLE`, `WHAT on TABLES`,
    /// `commit`, `abandon`.
    pub told: Vec<String>,
    /// Tables of which a table map had columns elsewhere than in their compiled places.
    pub elsewhere: BTreeSet<&'static str>,
}

impl Seen {
    /// Whether all of these types came.
    #[must_use]
    pub fn has(&self, codes: &[u8]) -> bool {
        codes.iter().all(|code| self.codes.contains_key(code))
    }

    /// How often this was told.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.told.iter().filter(|told| *told == text).count()
    }

    /// What was told that contains this text.
    pub fn with<'s>(&'s self, text: &'s str) -> impl Iterator<Item = &'s str> {
        let told = self.told.iter().map(String::as_str);
        told.filter(move |told| told.contains(text))
    }
}

/// Reads a stream to its end through a [`TransactionReader`] of these tables, as
/// `mirror tail --from` does.
///
/// # Errors
/// The reader's, and the source's; with what came before it.
pub fn read(source: &mut dyn EventSource, tables: &[String]) -> (Seen, Result<(), Error>) {
    let layouts = Tables::layouts();
    let is_selected = |name: String| tables.contains(&name);
    let selected: Vec<bool> = layouts
        .iter()
        .map(|layout| is_selected(layout.full_name()))
        .collect();
    let mut reader = TransactionReader::new(layouts, &selected);
    let mut seen = Seen::default();
    loop {
        match source.next_event() {
            Ok(Some(event)) => {
                *seen.codes.entry(event.header.type_code).or_default() += 1;
                if let Err(error) = reader.event(&event, &mut Teller(&mut seen)) {
                    return (seen, Err(error));
                }
            }
            Ok(None) => return (seen, Ok(())),
            Err(error) => return (seen, Err(error.into())),
        }
    }
}

/// Everything that the server has from a position on.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn read_from(world: &World, from: &str) -> Seen {
    let url = world.server.url().parse().unwrap();
    let start = StreamStart::File(from.parse::<BinlogPosition>().unwrap());
    let options = StreamOptions {
        non_blocking: true,
        ..StreamOptions::new(&url)
    };
    let (mut source, _) = LiveSource::open(&url, &start, options).unwrap();
    let (seen, result) = read(&mut source, &world.tables());
    if let Err(error) = result {
        panic!("{}: from {from}: {error}; {seen:?}", world.flavor());
    }
    seen
}

struct Teller<'s>(&'s mut Seen);

fn name(table: usize) -> &'static str {
    Tables::layouts()[table].table
}

impl TransactionSink for Teller<'_> {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        _rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        self.0.told.push(format!("rows {}", name(table)));
        if !plan.has_places() {
            self.0.elsewhere.insert(name(table));
        }
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        self.0.told.push(format!("truncate {}", name(table)));
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        let names: Vec<&str> = touch.tables.iter().map(|&table| name(table)).collect();
        self.0
            .told
            .push(format!("{} on {}", touch.kind, names.join(", ")));
        Ok(())
    }

    fn commit(&mut self, _boundary: Boundary) -> Result<(), Error> {
        self.0.told.push("commit".into());
        Ok(())
    }

    fn abandon(&mut self) {
        self.0.told.push("abandon".into());
    }
}
