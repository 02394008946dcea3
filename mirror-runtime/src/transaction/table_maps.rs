//! The table maps of a stream: which of their tables are mirrored, and by which plan.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::{Ambiguous, MirroredNames};
use super::{Redefined, unreadable};
use crate::error::{Error, TableError};
use crate::image::{ColumnDefault, Plan, TableMap, TableMapHeader};
use crate::layout::TableLayout;
use crate::source::{Collations, Family, RawEvent};

/// More table maps than this are forgotten at once; the server sends one with each statement.
const MAX_TABLE_MAPS: usize = 4096;

/// A table map of this stream.
struct Mapped {
    /// The TABLE_MAP's body: the server repeats it with every statement.
    body: Box<[u8]>,
    table: MappedTable,
}

/// What a table map is of.
pub(super) enum MappedTable {
    /// A table that is not mirrored.
    Other,
    /// A mirrored table.
    Mirrored {
        /// Table index.
        table: usize,
        plan: Box<Plan>,
    },
    /// A mirrored table that was redefined on the way, without names to find its columns by.
    Unnamed {
        /// Table index.
        table: usize,
        how: Redefined,
        error: Error,
    },
}

/// Table maps by their number, and the mirrored tables by name.
pub(super) struct TableMaps {
    layouts: Vec<&'static TableLayout>,
    names: MirroredNames,
    maps: HashMap<u64, Mapped>,
    /// Tables whose definition may have changed on the way: without names in the table map,
    /// another order of columns would not show.
    altered: HashMap<usize, Redefined>,
    /// By table index; empty when they are not known.
    defaults: Vec<Arc<[ColumnDefault]>>,
    collations: Collations,
    family: Family,
}

impl TableMaps {
    /// `selected` says which of the tables are followed, by table index.
    pub(super) fn new(layouts: &[&'static TableLayout], selected: &[bool]) -> Self {
        Self {
            layouts: layouts.to_vec(),
            names: MirroredNames::new(layouts, selected),
            maps: HashMap::new(),
            altered: HashMap::new(),
            defaults: Vec::new(),
            collations: Collations::default(),
            family: Family::MySql,
        }
    }

    /// The same with what columns have that an insert's image lacks: by table index, by field
    /// index.
    pub(super) fn with_defaults(mut self, defaults: Vec<Arc<[ColumnDefault]>>) -> Self {
        self.defaults = defaults;
        self
    }

    /// The same for a server on which the case of names does not tell tables apart.
    pub(super) fn with_lower_case_names(mut self, folds: bool) -> Self {
        self.names = self.names.folding(folds);
        self
    }

    /// The same with the server's collations, to compare character sets by.
    pub(super) fn with_collations(mut self, collations: Collations) -> Self {
        self.collations = collations;
        self
    }

    /// From now on the maps are of another server, with these collations.
    pub(super) fn moved(&mut self, collations: Collations, folds_names: bool) {
        self.names.fold(folds_names);
        self.collations = collations;
    }

    /// Takes a FORMAT_DESCRIPTION: forgets all maps, and looks which kind of server writes. It
    /// has a byte for each event type that the server knows, behind the version of the format,
    /// that of the server, a time and a length; only MariaDB has types beyond 100.
    pub(super) fn start_file(&mut self, event: &RawEvent<'_>) {
        const HEAD: usize = 2 + 50 + 4 + 1;
        self.family = match event.body.len().saturating_sub(HEAD) {
            0..=100 => Family::MySql,
            _ => Family::MariaDb,
        };
        self.clear();
    }

    /// Which kind of server wrote the file.
    pub(super) fn family(&self) -> Family {
        self.family
    }

    /// Forgets all maps, but not which tables were altered.
    pub(super) fn clear(&mut self) {
        self.maps.clear();
    }

    /// The definition of these tables may have changed.
    pub(super) fn altered(&mut self, tables: &[usize], how: Redefined) {
        self.altered
            .extend(tables.iter().map(|table| (*table, how)));
    }

    /// The table of a map's number; `None` when there was no such map.
    pub(super) fn get(&self, table_id: u64) -> Option<&MappedTable> {
        self.maps.get(&table_id).map(|mapped| &mapped.table)
    }

    /// The head of the map with this number; `None` when there was no such map.
    pub(super) fn header(&self, table_id: u64) -> Option<TableMapHeader<'_>> {
        TableMap::parse_header(&self.maps.get(&table_id)?.body).ok()
    }

    /// Takes a TABLE_MAP event.
    ///
    /// Its number.
    ///
    /// # Errors
    /// When it cannot be read, or its table is not as it was compiled in.
    pub(super) fn add(&mut self, event: &RawEvent<'_>) -> Result<u64, Error> {
        let body = event.body;
        let header =
            TableMap::parse_header(body).map_err(|error| unreadable(event, &error.to_string()))?;
        let known = self.maps.get(&header.table_id);
        if known.is_some_and(|known| *known.body == *body) {
            return Ok(header.table_id);
        }
        if self.maps.len() >= MAX_TABLE_MAPS {
            self.maps.clear();
        }
        let table = match self.names.find(header.database, header.table) {
            Ok(Some(table)) => self.mirrored(table, event)?,
            Ok(None) => MappedTable::Other,
            Err(ambiguous) => return Err(self.one_table(&ambiguous, event)?),
        };
        let body = body.into();
        self.maps.insert(header.table_id, Mapped { body, table });
        Ok(header.table_id)
    }

    fn mirrored(&self, table: usize, event: &RawEvent<'_>) -> Result<MappedTable, Error> {
        let map = TableMap::parse_of(event.body, self.family)
            .map_err(|error| unreadable(event, &error.to_string()))?;
        let layout = self.layout(table)?;
        let differs = |column, expected, found| TableError::Layout {
            table: layout.full_name(),
            column,
            expected,
            found,
            position: Some(event.end_position()),
        };
        if let (None, Some(how)) = (&map.metadata.names, self.altered.get(&table)) {
            let error = differs(
                None,
                "the layout of before the last ALTER, or names to check the new one by".into(),
                "an altered table without names (set binlog_row_metadata = FULL)".into(),
            )
            .into();
            return Ok(MappedTable::Unnamed {
                table,
                how: *how,
                error,
            });
        }
        let plan = Plan::new(layout, &map)
            .and_then(|plan| {
                plan.check_charsets(&map, &self.collations)?;
                Ok(plan)
            })
            .map_err(|mismatch| {
                differs(Some(mismatch.column), mismatch.expected, mismatch.found)
            })?;
        let defaults = self.defaults.get(table).cloned().unwrap_or_default();
        let plan = Box::new(plan.with_defaults(defaults));
        Ok(MappedTable::Mirrored { table, plan })
    }

    /// What to say of two mirrored tables that are one on the server.
    fn one_table(&self, both: &Ambiguous, event: &RawEvent<'_>) -> Result<Error, Error> {
        Ok(TableError::Layout {
            table: self.layout(both.0)?.full_name(),
            column: None,
            expected: format!("beside {}", self.layout(both.1)?.full_name()),
            found: "one table of both names (lower_case_table_names is not 0)".into(),
            position: Some(event.end_position()),
        }
        .into())
    }

    fn layout(&self, table: usize) -> Result<&'static TableLayout, Error> {
        self.layouts
            .get(table)
            .copied()
            .ok_or_else(|| Error::UnknownTable {
                name: format!("number {table}"),
                mirrored: String::new(),
            })
    }
}
