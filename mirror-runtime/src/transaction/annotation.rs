//! Which statement wrote the rows in hand: MariaDB's ANNOTATE_ROWS events.
//!
//! MariaDB executes a REPLACE that meets a row as an update where it can, and then logs it as one.
//! With `binlog_row_image` NOBLOB or MINIMAL, the after image lacks columns that the statement does
//! not name. They have their defaults then, whereas after an UPDATE they have what they had. Only
//! the statement tells; its text stands in an event before its table maps (MariaDB knowledge base,
//! "Annotate_rows_log_event"). A server sends that only to those who ask with a flag of
//! COM_BINLOG_DUMP that the driver cannot set, so [`StatementTexts`] asks for it by the place of
//! the table map in its transaction.

use super::table_maps::TableMaps;
use crate::image::AbsentColumns;
use crate::source::{BinlogPosition, StatementTexts};
use crate::statement::{Target, Writes, written_tables};

/// Flag of a table map: the table has triggers (MariaDB source, `TM_BIT_HAS_TRIGGERS_F`).
const HAS_TRIGGERS: u16 = 1 << 14;
/// A statement that locks more tables is not looked into.
const MAX_TABLES: usize = 64;

/// The statement in hand, and the tables that it may write to.
#[derive(Debug, Default)]
pub(super) struct Annotation {
    /// The beginning of its text.
    text: Option<Vec<u8>>,
    /// Where the first of its table maps is, for its text is before it: the end of the
    /// transaction's GTID event, and how many events are between the two in the stream.
    place: Option<(BinlogPosition, usize)>,
    /// Numbers of its table maps.
    tables: Vec<u64>,
}

impl Annotation {
    /// Forgets the statement.
    pub(super) fn clear(&mut self) {
        self.text = None;
        self.place = None;
        self.tables.clear();
    }

    /// A new statement.
    pub(super) fn set(&mut self, text: &[u8]) {
        self.clear();
        self.text = Some(StatementTexts::beginning(text).to_vec());
    }

    /// The statement's next table map, and its place.
    pub(super) fn table_map(&mut self, number: u64, place: Option<(&BinlogPosition, usize)>) {
        if self.text.is_none() && self.tables.is_empty() {
            self.place = place.map(|(group, index)| (group.clone(), index));
        }
        if self.tables.len() <= MAX_TABLES {
            self.tables.push(number);
        }
    }

    /// What columns have that an update of the table with this number lacks.
    ///
    /// A statement that names the table as its own is the one that wrote its rows: triggers and
    /// functions that it calls must not write to a table that it uses (error 1442). The log has
    /// table maps of all tables that a statement may write to, theirs too. The text may be that of
    /// a statement within a trigger though, if the trigger was the first to write; one that writes
    /// twice to the table may then have done both, so the table maps must show no trigger but
    /// those of the table itself.
    pub(super) fn absent_columns(
        &mut self,
        number: u64,
        maps: &TableMaps,
        texts: Option<&mut StatementTexts>,
    ) -> AbsentColumns {
        if !self.only_own_triggers(number, maps) {
            return AbsentColumns::Unknown;
        }
        if let (None, Some((group, index)), Some(texts)) = (&self.text, self.place.take(), texts) {
            self.text = texts.annotation_before(&group, index);
        }
        let Some(written) = self.text.as_deref().and_then(written_tables) else {
            return AbsentColumns::Unknown;
        };
        let is_own = |named: &Target| self.means(named, number, maps);
        match written.writes {
            _ if !written.tables.iter().any(is_own) => AbsentColumns::Unknown,
            Writes::Changes => AbsentColumns::Kept,
            Writes::Replacements => AbsentColumns::Default,
        }
    }

    fn only_own_triggers(&self, number: u64, maps: &TableMaps) -> bool {
        let quiet = |&mapped: &u64| {
            mapped == number
                || maps
                    .header(mapped)
                    .is_some_and(|header| header.flags & HAS_TRIGGERS == 0)
        };
        self.tables.len() <= MAX_TABLES && self.tables.iter().all(quiet)
    }

    /// Whether a name can only be that of the table with this number. Names are compared without
    /// case, for `lower_case_table_names`.
    fn means(&self, named: &Target, number: u64, maps: &TableMaps) -> bool {
        let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        let is_named = |mapped: &&u64| {
            maps.header(**mapped).is_some_and(|header| {
                let database = named.database.as_deref();
                same(&named.table, header.table)
                    && database.is_none_or(|database| same(database, header.database))
            })
        };
        let mut meant = self.tables.iter().filter(is_named);
        // A statement that joins a table with itself maps it twice.
        meant.next() == Some(&number) && meant.all(|mapped| *mapped == number)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::image::test_support::table_map_named;
    use crate::source::event::event_type;
    use crate::source::{EventHeader, RawEvent};

    fn map(
        annotation: &mut Annotation,
        maps: &mut TableMaps,
        id: u64,
        names: (&str, &str),
        flags: u16,
    ) {
        let file: Arc<str> = "binlog.000001".into();
        let mut body = table_map_named(id, names.0, names.1);
        body[6..8].copy_from_slice(&flags.to_le_bytes());
        let event = RawEvent {
            header: EventHeader {
                timestamp: 1,
                type_code: event_type::TABLE_MAP,
                server_id: 1,
                event_size: 60,
                log_pos: 160,
                flags: 0,
            },
            body: &body,
            file: &file,
            start: 100,
            end: 160,
        };
        annotation.table_map(id, None);
        maps.add(&event).unwrap();
    }

    #[test]
    fn triggers_of_other_tables_may_have_written_the_rows() {
        let (mut annotation, mut maps) = (Annotation::default(), TableMaps::new(&[], &[]));
        annotation.set(b"UPDATE t SET a = 1");
        map(&mut annotation, &mut maps, 1, ("shop", "t"), HAS_TRIGGERS);
        assert_eq!(
            annotation.absent_columns(1, &maps, None),
            AbsentColumns::Kept
        );
        map(&mut annotation, &mut maps, 2, ("shop", "o"), HAS_TRIGGERS);
        assert_eq!(
            annotation.absent_columns(1, &maps, None),
            AbsentColumns::Unknown
        );
    }

    fn absent(text: &str, tables: &[(u64, &str, &str)]) -> AbsentColumns {
        let (mut annotation, mut maps) = (Annotation::default(), TableMaps::new(&[], &[]));
        annotation.set(text.as_bytes());
        for (id, database, table) in tables {
            map(&mut annotation, &mut maps, *id, (database, table), 0);
        }
        annotation.absent_columns(1, &maps, None)
    }

    #[test]
    fn a_statement_that_names_the_table_tells_what_absent_columns_have() {
        let only = [(1, "shop", "t")];
        assert_eq!(absent("UPDATE t SET a = 1", &only), AbsentColumns::Kept);
        assert_eq!(
            absent("replace into T (a) values (1)", &only),
            AbsentColumns::Default
        );
        assert_eq!(
            absent("replace shop.t set a = 1", &only),
            AbsentColumns::Default
        );
    }

    #[test]
    fn rows_of_a_table_that_the_statement_does_not_name_are_not_its_own() {
        let two = [(2, "shop", "other"), (1, "shop", "t")];
        let unknown = [
            ("UPDATE other SET t = 1", two),
            ("", two),
            ("CALL t()", two),
            ("UPDATE t SET a = 1", [(2, "other", "t"), (1, "shop", "t")]),
            (
                "UPDATE other.t SET a = 1",
                [(2, "other", "t"), (1, "shop", "t")],
            ),
        ];
        for (text, tables) in unknown {
            assert_eq!(absent(text, &tables), AbsentColumns::Unknown, "{text}");
        }
        assert_eq!(absent("UPDATE t SET a = 1", &two), AbsentColumns::Kept);
        let twice = [(1, "shop", "t"), (1, "shop", "t")];
        assert_eq!(
            absent("UPDATE t AS x, t AS y SET x.a = 1", &twice),
            AbsentColumns::Kept
        );
        let same_name = [(2, "other", "t"), (1, "shop", "t")];
        assert_eq!(
            absent("UPDATE shop.t SET a = 1", &same_name),
            AbsentColumns::Kept
        );
    }

    #[test]
    fn without_a_text_it_is_not_known() {
        let (mut annotation, mut maps) = (Annotation::default(), TableMaps::new(&[], &[]));
        annotation.set(b"UPDATE t SET a = 1");
        annotation.clear();
        map(&mut annotation, &mut maps, 1, ("shop", "t"), 0);
        let absent = annotation.absent_columns(1, &maps, None);
        assert_eq!(absent, AbsentColumns::Unknown);
    }

    #[test]
    fn a_statement_of_too_many_tables_is_not_told() {
        let mut tables = vec![(1, "shop", "t")];
        tables.extend((2..MAX_TABLES as u64 + 1).map(|id| (id, "shop", "u")));
        assert_eq!(absent("UPDATE t SET a = 1", &tables), AbsentColumns::Kept);
        tables.push((99, "shop", "u"));
        assert_eq!(
            absent("UPDATE t SET a = 1", &tables),
            AbsentColumns::Unknown
        );
    }
}
