//! Which tables a load is of, what of the others readers do not see yet, and which tables are
//! known to be wrong.

use crate::foreign_keys::ForeignKeys;
use crate::reload::Reload;

/// By table index, across the loads of a mirror.
#[derive(Debug, Clone)]
pub(crate) struct TableStates {
    selected: Vec<bool>,
    /// Being loaded, or loaded and not yet caught up with.
    loading: Vec<bool>,
    /// Changed since readers were shown a version.
    unpublished: Vec<bool>,
    /// Known to be wrong, and kept by policy.
    suspect: Vec<bool>,
}

impl TableStates {
    /// Before the first load: of all selected tables.
    pub(crate) fn new(selected: &[bool]) -> Self {
        let none = vec![false; selected.len()];
        Self {
            selected: selected.to_vec(),
            loading: selected.to_vec(),
            unpublished: none.clone(),
            suspect: none,
        }
    }

    /// Whether the table is loaded, and not yet caught up with.
    pub(crate) fn is_loading(&self, table: usize) -> bool {
        is_set(&self.loading, table)
    }

    /// Whether the table is known to be wrong.
    pub(crate) fn is_suspect(&self, table: usize) -> bool {
        is_set(&self.suspect, table)
    }

    /// Which tables the next load is of.
    pub(crate) fn loading(&self) -> &[bool] {
        &self.loading
    }

    /// Whether the next load is of all tables that are followed.
    pub(crate) fn loads_all(&self) -> bool {
        self.loading == self.selected
    }

    /// Decides on the next load. A load that is under way has to be made again with it, since its
    /// tables have not been caught up with; once `live` there is none.
    pub(crate) fn plan(&mut self, reload: &Reload, live: bool) {
        if live {
            self.loading.fill(false);
        }
        for &table in &reload.tables {
            if is_set(&self.selected, table) {
                set(&mut self.loading, table);
            }
        }
    }

    /// The next load is of all tables.
    pub(crate) fn plan_all(&mut self) {
        self.loading.clone_from(&self.selected);
    }

    /// All tables were read from a checkpoint, and none is loaded.
    pub(crate) fn restored(&mut self) {
        self.loading.fill(false);
        self.unpublished.clone_from(&self.selected);
    }

    /// The first table that is known to be wrong, if there is one.
    pub(crate) fn first_suspect(&self) -> Option<usize> {
        self.suspect.iter().position(|&suspect| suspect)
    }

    /// Rows of the table are changed in a transaction that readers are not shown yet.
    pub(crate) fn changed(&mut self, table: usize) {
        set(&mut self.unpublished, table);
    }

    /// The table is known to be wrong.
    pub(crate) fn suspect(&mut self, table: usize) {
        set(&mut self.suspect, table);
    }

    /// The load is shown to readers, with all that was changed meanwhile: the tables that are
    /// other than before, by table index.
    pub(crate) fn show(&mut self) -> Vec<usize> {
        let is_new = |table: &usize| self.is_loading(*table) || is_set(&self.unpublished, *table);
        let shown = (0..self.selected.len()).filter(is_new).collect();
        for (suspect, loading) in self.suspect.iter_mut().zip(&self.loading) {
            *suspect &= !loading;
        }
        self.loading.fill(false);
        self.unpublished.fill(false);
        shown
    }
}

fn is_set(flags: &[bool], table: usize) -> bool {
    flags.get(table) == Some(&true)
}

fn set(flags: &mut [bool], table: usize) {
    if let Some(flag) = flags.get_mut(table) {
        *flag = true;
    }
}

/// Adds the tables whose rows change with those of the others by foreign keys, in either
/// direction: these are loaded together.
pub(crate) fn with_relatives(tables: &mut Vec<usize>, foreign_keys: &ForeignKeys) {
    let mut at = 0;
    while let Some(&table) = tables.get(at) {
        for relative in foreign_keys.relatives(table) {
            if !tables.contains(&relative) {
                tables.push(relative);
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Cause;

    fn reload(tables: &[usize]) -> Reload {
        Reload::new(Cause::Statement, tables.to_vec(), "test".into())
    }

    #[test]
    fn the_first_load_is_of_all_selected_tables_and_the_next_of_those_concerned() {
        let mut states = TableStates::new(&[true, false, true, true]);
        assert!(states.loads_all());
        assert_eq!(states.show(), [0, 2, 3]);
        states.plan(&reload(&[2, 1]), true);
        assert_eq!(states.loading(), [false, false, true, false]);
        assert!(!states.loads_all());
    }

    #[test]
    fn a_load_that_is_not_caught_up_with_is_made_again_with_the_next() {
        let mut states = TableStates::new(&[true, true, true]);
        states.show();
        states.plan(&reload(&[2]), true);
        states.plan(&reload(&[0]), false);
        assert_eq!(states.loading(), [true, false, true]);
        states.changed(1);
        assert_eq!(states.show(), [0, 1, 2]);
        assert_eq!(states.show(), [0; 0]);
    }

    #[test]
    fn a_table_stays_suspect_until_it_is_loaded() {
        let mut states = TableStates::new(&[true, true]);
        states.show();
        states.suspect(1);
        states.plan(&reload(&[0]), true);
        states.show();
        assert!(states.is_suspect(1));
        states.plan(&reload(&[1]), true);
        states.show();
        assert!(!states.is_suspect(1));
    }
}
