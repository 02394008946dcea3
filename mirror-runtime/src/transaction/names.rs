//! Which mirrored table a name in the log is of.

use std::collections::HashMap;

use crate::layout::TableLayout;

/// The mirrored tables by name.
pub(super) struct MirroredNames {
    /// By database and table, with a zero byte between.
    exact: HashMap<String, usize>,
    /// The same in lower case; several where names differ by case only.
    lower: HashMap<String, Vec<usize>>,
    /// Whether names that differ by case only are one table's on the server.
    folds: bool,
}

/// Two mirrored tables that are one on the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ambiguous(pub(super) usize, pub(super) usize);

impl MirroredNames {
    /// The selected ones of these tables; names are compared byte by byte.
    pub(super) fn new(layouts: &[&'static TableLayout], selected: &[bool]) -> Self {
        let mut exact = HashMap::new();
        let mut lower: HashMap<String, Vec<usize>> = HashMap::new();
        for (table, layout) in layouts.iter().enumerate() {
            if selected.get(table) == Some(&true) {
                let name = full_name(layout.database, layout.table);
                lower.entry(name.to_lowercase()).or_default().push(table);
                exact.insert(name, table);
            }
        }
        Self {
            exact,
            lower,
            folds: false,
        }
    }

    /// The same for a server on which the case of names does not tell tables apart, or does.
    pub(super) fn folding(self, folds: bool) -> Self {
        Self { folds, ..self }
    }

    /// As [`folding`](Self::folding), in place.
    pub(super) fn fold(&mut self, folds: bool) {
        self.folds = folds;
    }

    /// The mirrored table of that name.
    ///
    /// Servers with `lower_case_table_names=1` log names in lower case, and those with 2 as the
    /// statement or the definition spells them. With 0 another spelling is another table.
    ///
    /// # Errors
    /// When the name is that of two mirrored tables.
    pub(super) fn find(&self, database: &str, table: &str) -> Result<Option<usize>, Ambiguous> {
        let name = full_name(database, table);
        if !self.folds {
            return Ok(self.exact.get(&name).copied());
        }
        match self.lower.get(&name.to_lowercase()).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([one]) => Ok(Some(*one)),
            Some([one, another, ..]) => Err(Ambiguous(*one, *another)),
        }
    }
}

fn full_name(database: &str, table: &str) -> String {
    format!("{database}\0{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(database: &'static str, table: &'static str) -> &'static TableLayout {
        Box::leak(Box::new(TableLayout {
            database,
            table,
            columns: &[],
            key: &[],
            physical_columns: 0,
            old_fractions: &[],
            foreign_keys: &[],
            ignored_foreign_keys: &[],
        }))
    }

    #[test]
    fn with_0_another_spelling_is_another_table() {
        let layouts = [layout("D1", "MixCase"), layout("shop", "Users")];
        let names = MirroredNames::new(&layouts, &[true, true]);
        assert_eq!(names.find("D1", "MixCase"), Ok(Some(0)));
        for other in ["mixcase", "MIXCASE", "Mixcase"] {
            assert_eq!(names.find("D1", other), Ok(None), "{other}");
            assert_eq!(names.find("d1", other), Ok(None), "{other}");
        }
        // All in lower case, as a server with 1 would log the mirrored one.
        assert_eq!(names.find("shop", "users"), Ok(None));
        assert_eq!(names.find("shop", "Users"), Ok(Some(1)));
    }

    #[test]
    fn with_1_and_2_any_spelling_is_the_table() {
        let layouts = [layout("D1", "MixCase"), layout("d1", "größe")];
        let names = MirroredNames::new(&layouts, &[true, true]).folding(true);
        for (database, table) in [("d1", "mixcase"), ("D1", "MixCase"), ("D1", "MIXcase")] {
            assert_eq!(names.find(database, table), Ok(Some(0)), "{table}");
        }
        assert_eq!(names.find("D1", "GRÖSSE"), Ok(None));
        assert_eq!(names.find("D1", "GRÖßE"), Ok(Some(1)));
        assert_eq!(names.find("d2", "mixcase"), Ok(None));
    }

    #[test]
    fn two_mirrored_tables_that_are_one_on_the_server_are_an_error() {
        let layouts = [layout("d", "T"), layout("d", "t"), layout("d", "u")];
        let both = MirroredNames::new(&layouts, &[true, true, true]).folding(true);
        assert_eq!(both.find("d", "t"), Err(Ambiguous(0, 1)));
        assert_eq!(both.find("d", "U"), Ok(Some(2)));
        let one = MirroredNames::new(&layouts, &[false, true, true]).folding(true);
        assert_eq!(one.find("d", "T"), Ok(Some(1)));
    }
}
